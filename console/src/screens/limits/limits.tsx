import '../sessions/sessions.css';
import { useSignal } from '@preact/signals';
import type { Usage, UsageDay } from '@session-launch/contract/admin/usage';
import { messageOf, request, requestText } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { download } from '../../parts/csv.ts';
import { TextField } from '../../parts/field.tsx';
import { Show } from '../../parts/notice.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Table } from '../../parts/table.tsx';
import { useLoad } from '../../state/load.ts';
import { may } from '../../state/me.ts';
import { changeProject, type Project, readProject } from '../../state/settings.ts';
import { toast } from '../../state/toasts.ts';
import { texts } from '../../texts.ts';

type Name = keyof typeof texts.limits.names;

interface Day {
  day: string;
  sessions: number;
  seconds: number;
}

/** The limits of a project, beside what was used. */
export function Limits({ projectId }: { projectId: string }) {
  const loaded = useLoad(
    [projectId],
    async (signal) => {
      const [{ project }, { days }] = await Promise.all([
        readProject(projectId),
        request<Usage>(`projects/${projectId}/usage`, { signal }),
      ]);
      return { project, days: perDay(days) };
    },
    ['project'],
  );
  const save = async () =>
    download(
      `${projectId}-usage.csv`,
      'text/csv',
      await requestText(`projects/${projectId}/usage`, { accept: 'text/csv' }),
    );
  return (
    <Screen title={texts.limits.title} intro={texts.limits.intro}>
      <Show loaded={loaded}>
        {({ project, days }) => (
          <>
            <LimitForm
              project={project}
              mostSessions={Math.max(0, ...days.map(({ sessions }) => sessions))}
              onSaved={loaded.reload}
            />
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

/** Adds up the experiences of each day, newest first. */
function perDay(rows: readonly UsageDay[]): Day[] {
  const days = new Map<string, Day>();
  for (const { day, sessions, seconds } of rows) {
    const sum = days.get(day) ?? { day, sessions: 0, seconds: 0 };
    days.set(day, { day, sessions: sum.sessions + sessions, seconds: sum.seconds + seconds });
  }
  return [...days.values()].sort((a, b) => b.day.localeCompare(a.day));
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

function LimitForm({
  project,
  mostSessions,
  onSaved,
}: {
  project: Project;
  mostSessions: number;
  onSaved(): unknown;
}) {
  const typed = useSignal<Record<string, string>>({});
  const problem = useSignal<string | undefined>(undefined);
  const isEditable = may('manage-projects');
  const written = (name: Name) => typed.value[name] ?? String(project.limits[name] ?? '');
  const problemOf = (name: Name) =>
    /^\d*$/.test(written(name).trim()) ? undefined : texts.limits.notANumber;
  const names = Object.keys(texts.limits.names) as Name[];
  const save = async (event: Event) => {
    event.preventDefault();
    problem.value = undefined;
    if (names.some((name) => problemOf(name) !== undefined)) return;
    const limits = Object.fromEntries(
      names.map((name) => [name, written(name).trim() === '' ? null : Number(written(name))]),
    );
    try {
      await changeProject(project.id, () => ({ limits }));
      typed.value = {};
      toast(texts.limits.saved);
      await onSaved();
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  return (
    <form class="panel" onSubmit={save}>
      {isEditable ? null : <p class="soft">{texts.limits.readOnly}</p>}
      <div class="filters wide">
        {names.map((name) =>
          isEditable ? (
            <TextField
              key={name}
              label={texts.limits.names[name]}
              help={name === 'sessionsPerDay' ? texts.limits.most(mostSessions) : undefined}
              placeholder={texts.limits.unlimited}
              value={written(name)}
              problem={problemOf(name)}
              onInput={(value) => {
                typed.value = { ...typed.value, [name]: value };
              }}
            />
          ) : (
            <p key={name}>
              {texts.limits.names[name]}: <strong>{project.limits[name] ?? texts.limits.unlimited}</strong>
            </p>
          ),
        )}
      </div>
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
        </div>
      ) : null}
    </form>
  );
}
