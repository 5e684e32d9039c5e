import '../sessions/sessions.css';
import { request } from '../../api/client.ts';
import { Badge, Show } from '../../parts/notice.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useLoad } from '../../state/load.ts';
import { me } from '../../state/me.ts';
import type { ServiceScreen } from '../../state/screen.ts';
import { texts } from '../../texts/texts.ts';

const tones = { ok: 'good', warn: 'warn', fail: 'bad' } as const;

export const systemScreen: ServiceScreen = {
  address: 'system',
  title: texts.system.title,
  component: System,
  permission: 'manage-service',
  isOfAllProjects: true,
};

/** The state of the service: version, checks with what to do, and signing keys. */
function System() {
  const doctor = useLoad([], (signal) => request('GET /admin/doctor', { signal }));
  const signing = useLoad([], (signal) => request('GET /admin/signing-keys', { signal }));
  const { version, engine, publicUrl } = me.value!;
  return (
    <Screen title={texts.system.title}>
      <section class="panel">
        <dl class="facts">
          <div>
            <dt>{texts.system.version}</dt>
            <dd>{version}</dd>
          </div>
          <div>
            <dt>{texts.system.engine}</dt>
            <dd>{texts.system.engines[engine] ?? engine}</dd>
          </div>
          <div>
            <dt>{texts.system.publicUrl}</dt>
            <dd>
              <a href={publicUrl}>{publicUrl}</a>
            </dd>
          </div>
        </dl>
      </section>
      <section class="stack">
        <h2>{texts.system.doctor}</h2>
        <Show loaded={doctor}>
          {({ ok, findings }) => (
            <>
              {ok ? <p class="good">{texts.system.healthy}</p> : null}
              <Table
                caption={texts.system.checks}
                rows={findings}
                keyOf={({ check, message }) => `${check} ${message}`}
                columns={[
                  { title: texts.system.check, isName: true, cell: ({ check }) => check },
                  {
                    title: texts.system.result,
                    cell: ({ status, message, todo }) => (
                      <span class="stack">
                        <span>
                          <Badge tone={tones[status]}>{status}</Badge> {message}
                        </span>
                        {todo === undefined ? null : <span>{todo}</span>}
                      </span>
                    ),
                  },
                ]}
              />
            </>
          )}
        </Show>
      </section>
      <section class="stack">
        <h2>{texts.system.signingKeys}</h2>
        <Show loaded={signing}>
          {({ keys }) => (
            <Table
              caption={texts.system.signingCaption}
              rows={keys}
              keyOf={({ kid }) => kid}
              columns={[
                { title: texts.system.keyId, isName: true, cell: ({ kid }) => <code>{kid}</code> },
                {
                  title: texts.system.signs,
                  cell: ({ signs }) => (signs ? texts.system.signsNow : texts.system.verifies),
                },
                { title: texts.system.since, cell: ({ since }) => <Time at={since} /> },
              ]}
            />
          )}
        </Show>
      </section>
    </Screen>
  );
}
