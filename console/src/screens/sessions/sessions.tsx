import './sessions.css';
import { useSignal } from '@preact/signals';
import type { ExperienceList } from '@session-launch/contract/admin/experience-schemas';
import type { SessionPage } from '@session-launch/contract/admin/sessions';
import { useEffect } from 'preact/hooks';
import { request } from '../../api/client.ts';
import { onChange } from '../../api/events.ts';
import { Button } from '../../parts/button.tsx';
import { downloadCsv } from '../../parts/csv.ts';
import { Select, TextField } from '../../parts/field.tsx';
import { Badge, Empty, Show } from '../../parts/notice.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Table } from '../../parts/table.tsx';
import { seconds, Time } from '../../parts/time.tsx';
import { useLoad } from '../../state/load.ts';
import { hashOf, route, setQuery } from '../../state/route.ts';
import { texts } from '../../texts.ts';
import { SessionScreen } from './session.tsx';

type SessionRecord = SessionPage['sessions'][number];

const filters = [
  'status',
  'source',
  'experienceId',
  'origin',
  'userId',
  'locale',
  'livemode',
  'from',
  'to',
] as const;

export function Sessions({ projectId, rest: [sessionId] }: { projectId: string; rest: string[] }) {
  return sessionId === undefined ? (
    <SessionList projectId={projectId} />
  ) : (
    <SessionScreen projectId={projectId} sessionId={sessionId} />
  );
}

/** Sessions, newest first. New ones are announced and appear only when asked for, so that the rows being read do not move. */
function SessionList({ projectId }: { projectId: string }) {
  const query = Object.fromEntries(
    filters.flatMap((name) => (route.value.query[name] ? [[name, route.value.query[name]]] : [])),
  );
  const loaded = useLoad([projectId, JSON.stringify(query)], (signal) =>
    readPage(projectId, query, undefined, signal),
  );
  const further = useSignal<{ of: SessionPage | undefined; pages: SessionPage[] }>({
    of: undefined,
    pages: [],
  });
  const fresh = useSignal(0);
  useEffect(() => {
    fresh.value = 0;
    return onChange(['session'], () => void countFresh());
  }, [projectId, loaded.data]);
  const countFresh = async () => {
    const first = loaded.data?.sessions[0]?.sessionId ?? '';
    const { sessions } = await readPage(projectId, query).catch(() => ({ sessions: [] }));
    fresh.value = sessions.filter(({ sessionId }) => sessionId > first).length;
  };
  const pages = further.value.of === loaded.data ? further.value.pages : [];
  const showMore = async (cursor: string) => {
    further.value = { of: loaded.data, pages: [...pages, await readPage(projectId, query, cursor)] };
  };
  const isFiltered = Object.keys(query).length > 0;
  return (
    <Screen
      title={texts.sessions.title}
      actions={<Button onPress={() => download(projectId, query)}>{texts.sessions.download}</Button>}
    >
      <Filters projectId={projectId} query={query} />
      {fresh.value === 0 ? null : (
        <p>
          <Button onPress={loaded.reload}>{texts.sessions.fresh(fresh.value)}</Button>
        </p>
      )}
      <Show loaded={loaded}>
        {(first) => {
          const all = [first, ...pages];
          const sessions = all.flatMap((page) => page.sessions);
          const next = all.at(-1)?.nextCursor;
          if (sessions.length === 0) return <NoSessions isFiltered={isFiltered} />;
          return (
            <>
              <SessionTable projectId={projectId} sessions={sessions} />
              {next === undefined ? null : (
                <p>
                  <Button onPress={() => showMore(next)}>{texts.more}</Button>
                </p>
              )}
            </>
          );
        }}
      </Show>
    </Screen>
  );
}

function readPage(
  projectId: string,
  query: Record<string, string | undefined>,
  cursor?: string,
  signal?: AbortSignal,
): Promise<SessionPage> {
  return request<SessionPage>(`projects/${projectId}/sessions`, {
    query: { limit: '50', ...query, ...instants(query), cursor },
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The days of the filters, which include the last one, as the times that the service expects. */
function instants({ from, to }: Record<string, string | undefined>): Record<string, string | undefined> {
  const midnight = (day: string | undefined, days: number) => {
    const at = new Date(`${day}T00:00`);
    if (day === undefined || Number.isNaN(at.getTime())) return undefined;
    at.setDate(at.getDate() + days);
    return at.toISOString();
  };
  return { from: midnight(from, 0), to: midnight(to, 1) };
}

function Filters({ projectId, query }: { projectId: string; query: Record<string, string | undefined> }) {
  const loaded = useLoad([projectId], (signal) =>
    request<ExperienceList>(`projects/${projectId}/experiences`, { signal }),
  );
  const experiences = (loaded.data?.experiences ?? []).map(({ experienceId, title }) => ({
    value: experienceId,
    label: title,
  }));
  const set = (name: string, value: string) => setQuery({ ...query, [name]: value });
  const options = (names: Record<string, string>, any: string) => [
    { value: '', label: any },
    ...Object.entries(names).map(([value, label]) => ({ value, label })),
  ];
  const text = (name: (typeof filters)[number], label: string, type: 'search' | 'date' = 'search') => (
    <TextFilter label={label} type={type} value={query[name] ?? ''} onApply={(value) => set(name, value)} />
  );
  const rare = ['locale', 'livemode', 'from', 'to'];
  return (
    <search class="stack">
      <div class="filters">
        <Select
          label={texts.sessions.status}
          value={query.status ?? ''}
          options={options(texts.sessions.statuses, texts.sessions.anyStatus)}
          onChange={(value) => set('status', value)}
        />
        <Select
          label={texts.sessions.source}
          value={query.source ?? ''}
          options={options(texts.sessions.sources, texts.sessions.anySource)}
          onChange={(value) => set('source', value)}
        />
        <Select
          label={texts.sessions.experience}
          value={query.experienceId ?? ''}
          options={[{ value: '', label: texts.sessions.anyExperience }, ...experiences]}
          onChange={(value) => set('experienceId', value)}
        />
        {text('origin', texts.sessions.originFilter)}
        {text('userId', texts.sessions.user)}
      </div>
      <details open={rare.some((name) => query[name] !== undefined)}>
        <summary>{texts.sessions.moreFilters}</summary>
        <div class="filters">
          {text('from', texts.sessions.from, 'date')}
          {text('to', texts.sessions.to, 'date')}
          {text('locale', texts.sessions.locale)}
          <Select
            label={texts.sessions.mode}
            value={query.livemode ?? ''}
            options={options(texts.sessions.modes, texts.sessions.anyMode)}
            onChange={(value) => set('livemode', value)}
          />
        </div>
      </details>
    </search>
  );
}

/** A filter that is applied when the field is left or Enter is pressed. */
function TextFilter({
  label,
  type,
  value,
  onApply,
}: {
  label: string;
  type: 'search' | 'date';
  value: string;
  onApply(value: string): void;
}) {
  const typed = useSignal<string | undefined>(undefined);
  return (
    <TextField
      label={label}
      type={type}
      value={typed.value ?? value}
      onInput={(text) => {
        typed.value = text;
      }}
      onChange={(text) => {
        typed.value = undefined;
        onApply(text.trim());
      }}
    />
  );
}

function NoSessions({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered)
    return (
      <Empty title={texts.sessions.empty}>
        <p>{texts.sessions.emptyText}</p>
      </Empty>
    );
  return (
    <Empty title={texts.sessions.noMatch}>
      <Button onPress={() => setQuery({})}>{texts.sessions.clear}</Button>
    </Empty>
  );
}

const tones: Record<string, 'good' | ''> = { active: 'good' };

function SessionTable({ projectId, sessions }: { projectId: string; sessions: SessionRecord[] }) {
  return (
    <Table
      caption={texts.sessions.caption}
      rows={sessions}
      keyOf={({ sessionId }) => sessionId}
      columns={[
        {
          title: texts.sessions.session,
          isName: true,
          cell: ({ sessionId }) => (
            <a href={hashOf([projectId, 'sessions', sessionId])}>
              <code>{sessionId}</code>
            </a>
          ),
        },
        { title: texts.sessions.experience, cell: ({ experienceId }) => <code>{experienceId}</code> },
        {
          title: texts.sessions.status,
          cell: ({ status }) => (
            <Badge tone={tones[status] ?? ''}>{texts.sessions.statuses[status] ?? status}</Badge>
          ),
        },
        { title: texts.sessions.source, cell: ({ source }) => texts.sessions.sources[source] ?? source },
        { title: texts.sessions.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
        { title: texts.sessions.duration, isNumber: true, cell: ({ usage }) => seconds(usage.seconds) },
      ]}
    />
  );
}

/** Downloads what the list would show, up to ten thousand rows. */
async function download(projectId: string, query: Record<string, string | undefined>): Promise<void> {
  const rows: SessionRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(projectId, { ...query, limit: '500' }, cursor);
    rows.push(...page.sessions);
    cursor = page.nextCursor;
  } while (cursor !== undefined && rows.length < 10_000);
  downloadCsv(`${projectId}-sessions.csv`, [
    ['sessionId', 'experienceId', 'status', 'source', 'createdAt', 'seconds', 'origin', 'userId', 'locale'],
    ...rows.map((row) => [
      row.sessionId,
      row.experienceId,
      row.status,
      row.source,
      row.createdAt,
      String(row.usage.seconds),
      row.origin ?? '',
      row.userId ?? '',
      row.locale,
    ]),
  ]);
}
