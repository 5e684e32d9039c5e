import './sessions.css';
import { useSignal } from '@preact/signals';
import type { SessionPage, SessionQuery } from '@session-launch/contract/admin/sessions';
import { request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { downloadCsv } from '../../parts/csv.ts';
import { Select, TextField } from '../../parts/field.tsx';
import { Badge, Empty } from '../../parts/notice.tsx';
import { PagedList } from '../../parts/paged-list.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Table } from '../../parts/table.tsx';
import { seconds, Time } from '../../parts/time.tsx';
import type { PageSource } from '../../parts/use-pages.ts';
import { useLoad } from '../../state/load.ts';
import { hashOf, route, setQuery } from '../../state/route.ts';
import type { ProjectScreen } from '../../state/screen.ts';
import { texts } from '../../texts/texts.ts';
import { SessionScreen } from './session.tsx';

type SessionRecord = SessionPage['sessions'][number];
type Query = Record<string, string | undefined>;

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
] as const satisfies readonly (keyof SessionQuery)[];

export const sessionsScreen: ProjectScreen = {
  address: 'sessions',
  title: texts.sessions.title,
  component: Sessions,
};

function Sessions({ projectId, rest: [sessionId] }: { projectId: string; rest: string[] }) {
  return sessionId === undefined ? (
    <SessionList projectId={projectId} />
  ) : (
    <SessionScreen projectId={projectId} sessionId={sessionId} />
  );
}

/** Sessions, newest first. The rows shown follow the changes of their sessions. */
function SessionList({ projectId }: { projectId: string }) {
  const query = Object.fromEntries(
    filters.flatMap((name) => (route.value.query[name] ? [[name, route.value.query[name]]] : [])),
  );
  return (
    <Screen
      title={texts.sessions.title}
      actions={<Button onPress={() => download(projectId, query)}>{texts.sessions.download}</Button>}
    >
      <Filters projectId={projectId} query={query} />
      <PagedList
        keys={[projectId, JSON.stringify(query)]}
        source={sourceOf(projectId, query)}
        kinds={['session']}
        fresh={texts.sessions.fresh}
        empty={<NoSessions isFiltered={Object.keys(query).length > 0} />}
      >
        {(rows) => <SessionTable projectId={projectId} sessions={rows} />}
      </PagedList>
    </Screen>
  );
}

function sourceOf(projectId: string, query: Query): PageSource<SessionRecord> {
  return {
    size: 50,
    idOf: ({ sessionId }) => sessionId,
    read: async ({ limit, cursor }, signal) => {
      const page = await readPage(projectId, { ...query, limit: String(limit), cursor }, signal);
      return { rows: page.sessions, next: page.nextCursor };
    },
    // A session can stop matching the filters by its status, and by its user, whom an operator made the service forget.
    readAgain: async (rows, signal) => {
      const open = rows.filter(({ status }) => status === 'created' || status === 'active');
      if (open.length === 0) return [];
      const times = open.map(({ createdAt }) => Date.parse(createdAt));
      const [from, to] = [Math.min(...times), Math.max(...times) + 1].map((at) => new Date(at).toISOString());
      const others = { ...query, status: undefined, userId: undefined };
      return (await requestPage(projectId, { ...others, from, to, limit: '500' }, signal)).sessions;
    },
  };
}

/** Reads a page, with the filters of the address. */
function readPage(projectId: string, query: Query, signal?: AbortSignal): Promise<SessionPage> {
  return requestPage(projectId, { ...query, ...instants(query) }, signal);
}

function requestPage(projectId: string, query: Query, signal?: AbortSignal): Promise<SessionPage> {
  return request('GET /admin/projects/{projectId}/sessions', {
    params: { projectId },
    query,
    signal,
  });
}

/** The days of the filters, which include the last one, as the times that the service expects. */
function instants({ from, to }: Query): Query {
  const midnight = (day: string | undefined, days: number) => {
    const at = new Date(`${day}T00:00`);
    if (day === undefined || Number.isNaN(at.getTime())) return undefined;
    at.setDate(at.getDate() + days);
    return at.toISOString();
  };
  return { from: midnight(from, 0), to: midnight(to, 1) };
}

function Filters({ projectId, query }: { projectId: string; query: Query }) {
  const loaded = useLoad([projectId], (signal) =>
    request('GET /admin/projects/{projectId}/experiences', { params: { projectId }, signal }),
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

function SessionTable({ projectId, sessions }: { projectId: string; sessions: readonly SessionRecord[] }) {
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
async function download(projectId: string, query: Query): Promise<void> {
  const rows: SessionRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(projectId, { ...query, limit: '500', cursor });
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
