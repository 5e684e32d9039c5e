import '../sessions/sessions.css';
import './limits.css';
import { useSignal } from '@preact/signals';
import type { Overview } from '@session-launch/contract/admin/overview';
import type { Usage, UsageDay } from '@session-launch/contract/admin/usage';
import { messageOf, request, requestText } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { download } from '../../parts/csv.ts';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Show } from '../../parts/notice.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Table } from '../../parts/table.tsx';
import { useLoad } from '../../state/load.ts';
import { may } from '../../state/me.ts';
import { changeProject, type Project, readProject } from '../../state/settings.ts';
import { toast } from '../../state/toasts.ts';
import { useTyped } from '../../state/typed.ts';
import { texts } from '../../texts.ts';
import { type Day, type LimitName, limitNames, limitUse, perDay, type Use } from './use.ts';

interface Data {
  project: Project;
  days: Day[];
  use: Record<LimitName, Use>;
}

/** The limits of a project, each beside what was used of it. */
export function Limits({ projectId }: { projectId: string }) {
  const loaded = useLoad([projectId], (signal) => read(projectId, signal), ['project', 'tally']);
  const save = async () =>
    download(
      `${projectId}-usage.csv`,
      'text/csv',
      await requestText(`projects/${projectId}/usage`, { accept: 'text/csv' }),
    );
  return (
    <Screen title={texts.limits.title} intro={texts.limits.intro}>
      <Show loaded={loaded}>
        {({ project, days, use }) => (
          <>
            <LimitForm project={project} use={use} onSaved={loaded.reload} />
            <section class="stack">
              <div class="row spread">
                <h2>{texts.limits.usage}</h2>
                <Button onPress={save}>{texts.limits.download}</Button>
              </div>
              <UsageTable days={days} />
            </section>
          </>
        )}
      </Show>
    </Screen>
  );
}

async function read(projectId: string, signal: AbortSignal): Promise<Data> {
  const overview = (window: string) =>
    request<Overview>(`projects/${projectId}/overview`, { query: { window }, signal });
  const [{ project }, usage, hour, week] = await Promise.all([
    readProject(projectId),
    request<Usage>(`projects/${projectId}/usage`, { signal }),
    overview('1h'),
    overview('7d'),
  ]);
  const days = perDay(usage.days satisfies UsageDay[]);
  return { project, days, use: limitUse(days, hour, week) };
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

interface LimitFormProps {
  project: Project;
  use: Data['use'];
  onSaved(): unknown;
}

function LimitForm({ project, use, onSaved }: LimitFormProps) {
  const typed = useTyped<Record<string, string>>(`limits ${project.id}`, {});
  const problem = useSignal<string | undefined>(undefined);
  const isEditable = may('manage-projects');
  const written = (name: LimitName) => typed.value[name] ?? String(project.limits[name] ?? '');
  const problemOf = (name: LimitName) =>
    /^\d*$/.test(written(name).trim()) ? undefined : texts.limits.notANumber;
  const save = async () => {
    problem.value = undefined;
    if (limitNames.some((name) => problemOf(name) !== undefined)) return;
    const limits = Object.fromEntries(
      limitNames.map((name) => [name, written(name).trim() === '' ? null : Number(written(name))]),
    );
    try {
      await changeProject(project.id, () => ({ limits }));
      typed.forget();
      toast(texts.limits.saved);
      await onSaved();
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  const value = (name: LimitName) =>
    isEditable ? (
      <TextField
        label={texts.limits.names[name]}
        isLabelHidden
        placeholder={texts.limits.unlimited}
        value={written(name)}
        problem={problemOf(name)}
        onInput={(text) => typed.set({ [name]: text })}
      />
    ) : (
      (project.limits[name]?.toLocaleString('en') ?? texts.limits.unlimited)
    );
  return (
    <Form look="stack limits" onSubmit={save}>
      {isEditable ? null : <p class="soft">{texts.limits.readOnly}</p>}
      <Table
        caption={texts.limits.caption}
        rows={limitNames}
        keyOf={(name) => name}
        columns={[
          { title: texts.limits.name, isName: true, cell: (name) => texts.limits.names[name] },
          { title: texts.limits.value, cell: value },
          { title: texts.limits.used, cell: (name) => use[name].used },
          { title: texts.limits.refused, isNumber: true, cell: (name) => use[name].refused ?? '–' },
        ]}
      />
      {problem.value === undefined ? null : (
        <p class="bad" role="alert">
          {problem.value}
        </p>
      )}
      {isEditable ? (
        <div class="row">
          <Button type="submit" look="primary">
            {texts.limits.save}
          </Button>
          {Object.keys(typed.value).length === 0 ? null : (
            <Button onPress={typed.forget}>{texts.limits.discard}</Button>
          )}
        </div>
      ) : null}
    </Form>
  );
}
