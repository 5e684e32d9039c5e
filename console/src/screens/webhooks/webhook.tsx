import { useSignal } from '@preact/signals';
import type { WebhookRecord, WebhookTestResult } from '@session-launch/contract/admin/webhooks';
import { ApiFailure, messageOf, request } from '../../api/client.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Show } from '../../parts/notice.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Time } from '../../parts/time.tsx';
import { useLoad } from '../../state/load.ts';
import { may } from '../../state/me.ts';
import { hashOf } from '../../state/route.ts';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';
import { webhooksTexts as texts } from '../../texts/webhooks.ts';
import { DeleteWebhook, DisableWebhook, NewSecret } from './confirmations.tsx';
import { Deliveries } from './deliveries.tsx';
import { Events } from './event-names.tsx';
import { nameOf } from './name-of.ts';
import { ShownSecret } from './shown-secret.tsx';
import { TestResult } from './test-result.tsx';
import { VerifyCode } from './verify-code.tsx';
import { WebhookForm } from './webhook-form.tsx';

interface Ids {
  projectId: string;
  webhookId: string;
}

/** One webhook: its settings, a test, and its deliveries. */
export function WebhookScreen({ projectId, webhookId }: Ids) {
  const params = { projectId, webhookId };
  const loaded = useLoad(
    [projectId, webhookId],
    (signal) => request('GET /admin/projects/{projectId}/webhooks/{webhookId}', { params, signal }),
    ['webhook', 'session', 'tally'],
  );
  const isDeleted = loaded.error instanceof ApiFailure && loaded.error.status === 404;
  const webhook = isDeleted ? undefined : loaded.data;
  const asking = useSignal<'change' | 'disable' | 'delete' | 'secret' | undefined>(undefined);
  const secret = useSignal<string | undefined>(undefined);
  const test = useSignal<WebhookTestResult | 'running' | undefined>(undefined);
  const close = () => set(asking, undefined);
  const reload = loaded.reload;
  const sendTest = async () => {
    test.value = 'running';
    try {
      test.value = await request('POST /admin/projects/{projectId}/webhooks/{webhookId}/test', { params });
    } catch (error) {
      test.value = undefined;
      toast(messageOf(error), { tone: 'bad' });
    }
    void reload();
  };
  const enable = async () => {
    await request('PATCH /admin/projects/{projectId}/webhooks/{webhookId}', {
      params,
      body: { enabled: true },
    });
    toast(texts.isEnabled);
    void reload();
  };
  const isPermitted = webhook !== undefined && may('run-integration');
  return (
    <Screen
      title={webhook === undefined ? webhookId : nameOf(webhook)}
      actions={
        <>
          <LinkButton href={hashOf([projectId, 'webhooks'])}>{texts.all}</LinkButton>
          {isPermitted ? (
            <>
              <Button onPress={() => set(asking, 'change')}>{texts.change}</Button>
              {webhook.enabled ? (
                <Button onPress={() => set(asking, 'disable')}>{texts.disable}</Button>
              ) : null}
              <Button look="danger" onPress={() => set(asking, 'delete')}>
                {texts.delete}
              </Button>
              <Button look="primary" isPaused={test.value === 'running'} onPress={sendTest}>
                {texts.test}
              </Button>
            </>
          ) : null}
        </>
      }
    >
      <Show loaded={{ ...loaded, data: webhook }}>
        {(one) => (
          <>
            <Trouble webhook={one} onEnable={isPermitted ? enable : undefined} />
            <TestResult result={test.value} onClose={() => set(test, undefined)} />
            <Settings webhook={one} onNewSecret={isPermitted ? () => set(asking, 'secret') : undefined} />
            <Deliveries webhook={one} />
          </>
        )}
      </Show>
      {webhook === undefined || asking.value !== 'change' ? null : (
        <WebhookForm projectId={projectId} webhook={webhook} onChanged={reload} onClose={close} />
      )}
      {webhook === undefined || asking.value !== 'delete' ? null : (
        <DeleteWebhook webhook={webhook} onClose={close} />
      )}
      {webhook === undefined || asking.value !== 'disable' ? null : (
        <DisableWebhook webhook={webhook} onDone={reload} onClose={close} />
      )}
      {webhook === undefined || asking.value !== 'secret' ? null : (
        <NewSecret
          webhook={webhook}
          onClose={close}
          onDone={(made) => {
            secret.value = made;
            void reload();
          }}
        />
      )}
      {secret.value === undefined ? null : (
        <ShownSecret secret={secret.value} onClose={() => set(secret, undefined)} />
      )}
    </Screen>
  );
}

/** Why nothing is sent, or that nothing arrives, and what to do. */
function Trouble({
  webhook: { enabled, disabledReason = 'operator', disabledAt, failingSince },
  onEnable,
}: {
  webhook: WebhookRecord;
  onEnable: (() => unknown) | undefined;
}) {
  if (!enabled)
    return (
      <div class={disabledReason === 'operator' ? 'notice' : 'notice bad'} role="status">
        <h2>{texts.disabledTitle}</h2>
        <p>
          {texts.reasonsInFull[disabledReason]}{' '}
          <span class="soft">
            <Time at={disabledAt} />
          </span>
        </p>
        <p>{texts.disabledText}</p>
        {onEnable === undefined ? null : <Button onPress={onEnable}>{texts.enable}</Button>}
      </div>
    );
  if (failingSince === undefined) return null;
  return (
    <div class="notice bad" role="status">
      <h2>{texts.failingTitle}</h2>
      <p>
        {texts.firstFailure} <Time at={failingSince} />. {texts.noneSince}
      </p>
      <p>{texts.failingText}</p>
    </div>
  );
}

function Settings({
  webhook: { webhookId, url, events, createdAt, lastDeliveredAt, formerSecretExpiresAt },
  onNewSecret,
}: {
  webhook: WebhookRecord;
  onNewSecret: (() => void) | undefined;
}) {
  const facts = {
    [texts.url]: <code>{url}</code>,
    [texts.events]: <Events events={events} />,
    [texts.lastDelivered]: <Time at={lastDeliveredAt} />,
    [texts.created]: <Time at={createdAt} />,
    [texts.id]: <code>{webhookId}</code>,
    ...(formerSecretExpiresAt === undefined
      ? {}
      : {
          [texts.formerSecret]: (
            <>
              {texts.formerSecretSigns} <Time at={formerSecretExpiresAt} />
            </>
          ),
        }),
  };
  return (
    <section class="panel">
      <div class="row spread">
        <h2>{texts.settings}</h2>
        {onNewSecret === undefined ? null : <Button onPress={onNewSecret}>{texts.newSecret}</Button>}
      </div>
      <dl class="facts">
        {Object.entries(facts).map(([name, fact]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
      </dl>
      <details>
        <summary>{texts.verify}</summary>
        <div class="stack verify">
          <VerifyCode />
        </div>
      </details>
    </section>
  );
}
