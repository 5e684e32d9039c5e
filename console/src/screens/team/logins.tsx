import { useSignal } from '@preact/signals';
import type { LoginList } from '@session-launch/contract/admin/sign-in';
import { request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Badge, Show } from '../../parts/notice.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useLoad } from '../../state/load.ts';
import { toast } from '../../state/toasts.ts';
import { texts } from '../../texts/texts.ts';

/** Logins per page. */
const size = 100;

/** Reads the newest logins, `pages` pages of them. */
async function readPages(pages: number, signal: AbortSignal): Promise<LoginList> {
  const logins: LoginList['logins'] = [];
  let next: string | undefined;
  for (let page = 0; page < pages; page++) {
    const found = await request('GET /admin/logins', {
      query: { limit: String(size), cursor: next },
      signal,
    });
    logins.push(...found.logins);
    next = found.nextCursor;
    if (next === undefined) return { logins };
  }
  return { logins, nextCursor: next! };
}

/** The browsers that are signed in; each can be signed out. */
export function Logins() {
  const pages = useSignal(1);
  const loaded = useLoad([], (signal) => readPages(pages.value, signal), ['login']);
  const showMore = async () => {
    pages.value++;
    await loaded.reload();
  };
  const signOut = async (loginId: string) => {
    await request('DELETE /admin/logins/{loginId}', { params: { loginId } });
    toast(texts.team.signedOut);
    await loaded.reload();
  };
  return (
    <section class="stack">
      <h2>{texts.team.logins}</h2>
      <Show loaded={loaded}>
        {({ logins, nextCursor }) => (
          <>
            <Table
              caption={texts.team.loginsCaption}
              rows={logins}
              keyOf={({ loginId }) => loginId}
              columns={[
                { title: texts.team.browser, isName: true, cell: ({ agent }) => browserOf(agent) },
                { title: texts.team.name, cell: ({ operatorId }) => <code>{operatorId}</code> },
                { title: texts.team.address, cell: ({ address }) => <code>{address}</code> },
                { title: texts.team.since, cell: ({ createdAt }) => <Time at={createdAt} /> },
                { title: texts.team.seen, cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
                {
                  title: '',
                  cell: ({ loginId, current }) => (
                    <span class="actions">
                      {current ? (
                        <Badge tone="good">{texts.team.current}</Badge>
                      ) : (
                        <Button onPress={() => signOut(loginId)}>{texts.team.signOut}</Button>
                      )}
                    </span>
                  ),
                },
              ]}
            />
            {nextCursor === undefined ? null : (
              <p>
                <Button onPress={showMore}>{texts.more}</Button>
              </p>
            )}
          </>
        )}
      </Show>
    </section>
  );
}

/** The name of the browser in a User-Agent header, or the beginning of the header. */
function browserOf(agent: string): string {
  const [found] = /Firefox\/\d+|Edg\/\d+|Chrome\/\d+|Version\/\d+(?=.*Safari)/.exec(agent) ?? [];
  const name = (found ?? agent.slice(0, 40)).replace('/', ' ');
  return name.replace('Edg', 'Edge').replace('Version', 'Safari');
}
