import './activity.css';
import { useSignal } from '@preact/signals';
import type { AuditEntry, AuditPage } from '@session-launch/contract/admin/audit';
import { request, requestText } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { download } from '../../parts/csv.ts';
import { Empty, Show } from '../../parts/notice.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useLoad } from '../../state/load.ts';
import { texts } from '../../texts.ts';

/** Every change of a project, newest first. */
export function Activity({ projectId }: { projectId: string }) {
  const read = (cursor?: string, signal?: AbortSignal) =>
    request<AuditPage>('audit', {
      query: { projectId, cursor },
      ...(signal === undefined ? {} : { signal }),
    });
  const loaded = useLoad([projectId], (signal) => read(undefined, signal), [
    'project',
    'experience',
    'key',
    'art',
    'preview',
  ]);
  const further = useSignal<{ of: AuditPage | undefined; pages: AuditPage[] }>({ of: undefined, pages: [] });
  const pages = further.value.of === loaded.data ? further.value.pages : [];
  const showMore = async (cursor: string) => {
    further.value = { of: loaded.data, pages: [...pages, await read(cursor)] };
  };
  const save = async () =>
    download(
      `${projectId}-activity.ndjson`,
      'application/x-ndjson',
      await requestText('audit', { query: { projectId }, accept: 'application/x-ndjson' }),
    );
  return (
    <Screen
      title={texts.activity.title}
      intro={texts.activity.intro}
      actions={<Button onPress={save}>{texts.activity.download}</Button>}
    >
      <Show loaded={loaded}>
        {(first) => {
          const all = [first, ...pages];
          const next = all.at(-1)?.nextCursor;
          const entries = all.flatMap((page) => page.entries);
          if (entries.length === 0) return <Empty title={texts.activity.empty} />;
          return (
            <>
              <EntryTable entries={entries} />
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

function EntryTable({ entries }: { entries: AuditEntry[] }) {
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
