import '../sessions/sessions.css';
import './limits.css';
import type { Window } from '@session-launch/contract/admin/overview';
import type { UsageDay } from '@session-launch/contract/admin/usage';
import { request, requestText } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { download } from '../../parts/csv.ts';
import { Show } from '../../parts/notice.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Table } from '../../parts/table.tsx';
import { useLoad } from '../../state/load.ts';
import type { ProjectScreen } from '../../state/screen.ts';
import { type Project, readProject } from '../../state/settings.ts';
import { texts } from '../../texts/texts.ts';
import { LimitForm } from './limit-form.tsx';
import { type Day, type LimitName, limitUse, perDay, type Use } from './use.ts';

interface Data {
  project: Project;
  days: Day[];
  isCounting: boolean;
  use: Record<LimitName, Use>;
}

export const limitsScreen: ProjectScreen = {
  address: 'limits',
  title: texts.limits.title,
  component: Limits,
};

/** The limits of a project, each beside what was used of it. */
function Limits({ projectId }: { projectId: string }) {
  const loaded = useLoad([projectId], (signal) => read(projectId, signal), ['project', 'tally']);
  const save = async () =>
    download(
      `${projectId}-usage.csv`,
      'text/csv',
      await requestText('GET /admin/projects/{projectId}/usage', {
        params: { projectId },
        accept: 'text/csv',
      }),
    );
  return (
    <Screen title={texts.limits.title} intro={texts.limits.intro}>
      <Show loaded={loaded}>
        {({ project, days, isCounting, use }) => (
          <>
            <LimitForm project={project} use={use} onSaved={loaded.reload} />
            <section class="stack">
              <div class="row spread">
                <h2>{texts.limits.usage}</h2>
                <Button onPress={save}>{texts.limits.download}</Button>
              </div>
              {isCounting ? <p class="soft">{texts.limits.counting}</p> : null}
              <UsageTable days={days} />
            </section>
          </>
        )}
      </Show>
    </Screen>
  );
}

async function read(projectId: string, signal: AbortSignal): Promise<Data> {
  const params = { projectId };
  const overview = (window: Window) =>
    request('GET /admin/projects/{projectId}/overview', { params, query: { window }, signal });
  const [{ project }, usage, hour, week] = await Promise.all([
    readProject(projectId),
    request('GET /admin/projects/{projectId}/usage', { params, signal }),
    overview('1h'),
    overview('7d'),
  ]);
  const days = perDay(usage.days satisfies UsageDay[]);
  return { project, days, isCounting: usage.counting === true, use: limitUse(days, hour, week) };
}

function UsageTable({ days }: { days: Day[] }) {
  if (days.length === 0) return <p class="soft">{texts.limits.noUsage}</p>;
  return (
    <Table
      caption={texts.limits.usageCaption}
      rows={days}
      keyOf={({ day }) => day}
      columns={[
        { title: texts.limits.day, isName: true, cell: ({ day }) => day },
        {
          title: texts.limits.sessions,
          isNumber: true,
          cell: ({ sessions }) => sessions.toLocaleString('en'),
        },
        {
          title: texts.limits.minutes,
          isNumber: true,
          cell: ({ seconds }) => Math.round(seconds / 60).toLocaleString('en'),
        },
      ]}
    />
  );
}
