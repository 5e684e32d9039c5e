import './activity.css';
import type { AuditEntry } from '@session-launch/contract/admin/audit';
import { type Kind, resources } from '@session-launch/contract/resources';
import { request, requestText } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { download } from '../../parts/csv.ts';
import { Empty } from '../../parts/notice.tsx';
import { PagedList } from '../../parts/paged-list.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import type { PageSource } from '../../parts/use-pages.ts';
import type { ProjectScreen } from '../../state/screen.ts';
import { texts } from '../../texts/texts.ts';

/** The kinds of changes that the activity of a project can show. Sessions change too often to count them as new entries. */
const kinds = (Object.keys(resources) as Kind[]).filter(
  (kind) => resources[kind].scope === 'project' && kind !== 'session',
);

export const activityScreen: ProjectScreen = {
  address: 'activity',
  title: texts.activity.title,
  component: Activity,
};

/** Every change of a project, newest first. */
function Activity({ projectId }: { projectId: string }) {
  const save = async () =>
    download(
      `${projectId}-activity.ndjson`,
      'application/x-ndjson',
      await requestText('GET /admin/audit', { query: { projectId }, accept: 'application/x-ndjson' }),
    );
  return (
    <Screen
      title={texts.activity.title}
      intro={texts.activity.intro}
      actions={<Button onPress={save}>{texts.activity.download}</Button>}
    >
      <PagedList
        keys={[projectId]}
        source={sourceOf(projectId)}
        kinds={kinds}
        fresh={texts.activity.fresh}
        empty={<Empty title={texts.activity.empty} />}
      >
        {(rows) => <EntryTable entries={rows} />}
      </PagedList>
    </Screen>
  );
}

function sourceOf(projectId: string): PageSource<AuditEntry> {
  return {
    size: 100,
    idOf: ({ auditId }) => auditId,
    read: async ({ limit, cursor }, signal) => {
      const page = await request('GET /admin/audit', {
        query: { projectId, limit: String(limit), cursor },
        signal,
      });
      return { rows: page.entries, next: page.nextCursor };
    },
  };
}

function EntryTable({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <Table
      caption={texts.activity.caption}
      rows={entries}
      keyOf={({ auditId }) => auditId}
      columns={[
        { title: texts.activity.when, cell: ({ at }) => <Time at={at} /> },
        { title: texts.activity.who, isName: true, cell: ({ actor }) => <Actor actor={actor} /> },
        { title: texts.activity.what, cell: ({ action }) => <code>{action}</code> },
        { title: texts.activity.target, cell: ({ target }) => <code>{target}</code> },
        { title: texts.activity.changes, cell: ({ changes }) => <Differences changes={changes} /> },
      ]}
    />
  );
}

function Actor({ actor: { name, via } }: { actor: AuditEntry['actor'] }) {
  return (
    <span>
      <bdi>{name}</bdi> <span class="soft">{texts.activity.via[via]}</span>
    </span>
  );
}

/** Differences, each with the values before and after. */
function Differences({ changes }: { changes: AuditEntry['changes'] }) {
  if (changes.length === 0) return <span class="soft">{texts.none}</span>;
  return (
    <details>
      <summary>{texts.activity.show(changes.length)}</summary>
      <dl class="differences">
        {changes.map(({ path, before, after }) => (
          <div key={path}>
            <dt>
              <code>{path}</code>
            </dt>
            <dd>
              <span class="soft">{texts.activity.before}</span> <Value value={before} />
            </dd>
            <dd>
              <span class="soft">{texts.activity.after}</span> <Value value={after} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Value({ value }: { value: unknown }) {
  if (value === undefined) return <span class="soft">{texts.activity.nothing}</span>;
  return <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>;
}
