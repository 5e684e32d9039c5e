import { useSignal } from '@preact/signals';
import { request } from '../../api/client.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Show } from '../../parts/notice.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Time } from '../../parts/time.tsx';
import { useLoad } from '../../state/load.ts';
import { may } from '../../state/me.ts';
import { hashOf } from '../../state/route.ts';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';
import { texts } from '../../texts/texts.ts';

/** One session: what happened, and its record. It shows no token and nothing that was said. */
export function SessionScreen({ projectId, sessionId }: { projectId: string; sessionId: string }) {
  const loaded = useLoad(
    [sessionId],
    (signal) => request('GET /admin/sessions/{sessionId}', { params: { sessionId }, signal }),
    ['session'],
  );
  const isEnding = useSignal(false);
  const isRunning = ['created', 'active'].includes(loaded.data?.session.status ?? '');
  const end = async () => {
    await request('POST /admin/sessions/{sessionId}/end', { params: { sessionId } });
    toast(texts.sessions.ended);
    void loaded.reload();
  };
  return (
    <Screen
      title={sessionId}
      actions={
        <>
          <LinkButton href={hashOf([projectId, 'sessions'])}>{texts.sessions.back}</LinkButton>
          {isRunning && may('run-integration') ? (
            <Button look="danger" onPress={() => set(isEnding, true)}>
              {texts.sessions.end}
            </Button>
          ) : null}
        </>
      }
    >
      <Show loaded={loaded}>
        {({ session, timeline }) => (
          <>
            <section class="panel">
              <h2>{texts.sessions.timeline}</h2>
              <ol class="timeline">
                {timeline.map(({ at, what, by, reason }) => (
                  <li key={`${at} ${what}`}>
                    {texts.sessions.events[what]}
                    {reason === undefined ? null : `: ${texts.sessions.reasons[reason]}`}
                    {by === undefined ? null : ` (${texts.sessions.by(by)})`}{' '}
                    <span class="soft">
                      <Time at={at} />
                    </span>
                  </li>
                ))}
              </ol>
            </section>
            <section class="panel">
              <h2>{texts.sessions.record}</h2>
              <Record value={session} />
            </section>
          </>
        )}
      </Show>
      {isEnding.value ? (
        <Confirm
          title={texts.sessions.endTitle}
          action={texts.sessions.endSession}
          isDangerous
          onConfirm={end}
          onClose={() => set(isEnding, false)}
        >
          <p>{texts.sessions.endText}</p>
        </Confirm>
      ) : null}
    </Screen>
  );
}

/** The fields of a record as a list. */
function Record({ value }: { value: object }) {
  return (
    <dl class="facts">
      {Object.entries(value).map(([name, field]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code>{typeof field === 'string' ? field : JSON.stringify(field)}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}
