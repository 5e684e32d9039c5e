import { useSignal } from '@preact/signals';
import type { CreatedWebhook, WebhookRecord } from '@session-launch/contract/admin/webhooks';
import { request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Badge, Empty, Show } from '../../parts/notice.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useLoad } from '../../state/load.ts';
import { may } from '../../state/me.ts';
import { hashOf } from '../../state/route.ts';
import { set } from '../../state/set.ts';
import { texts as allTexts } from '../../texts/texts.ts';
import { webhooksTexts as texts } from '../../texts/webhooks.ts';
import { Events } from './event-names.tsx';
import { nameOf } from './name-of.ts';
import { ShownSecret } from './shown-secret.tsx';
import { WebhookScreen } from './webhook.tsx';
import { WebhookForm } from './webhook-form.tsx';

/** The webhooks of a project, or one of them. */
export function Webhooks({ projectId, rest: [webhookId] }: { projectId: string; rest: string[] }) {
  if (webhookId === undefined) return <WebhookList key={projectId} projectId={projectId} />;
  return <WebhookScreen key={webhookId} projectId={projectId} webhookId={webhookId} />;
}

function WebhookList({ projectId }: { projectId: string }) {
  const loaded = useLoad(
    [projectId],
    (signal) => request('GET /admin/projects/{projectId}/webhooks', { params: { projectId }, signal }),
    // Deliveries are not announced. They follow sessions, and counts every ten seconds.
    ['webhook', 'session', 'tally'],
  );
  const isCreating = useSignal(false);
  const shown = useSignal<CreatedWebhook | undefined>(undefined);
  const create = may('run-integration') ? (
    <Button look="primary" onPress={() => set(isCreating, true)}>
      {texts.create}
    </Button>
  ) : null;
  return (
    <Screen title={allTexts.webhooks.title} intro={texts.intro} actions={create}>
      <Show loaded={loaded}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty title={texts.empty}>
              <p>{texts.emptyText}</p>
              {create ?? <p class="soft">{texts.emptyReadOnly}</p>}
            </Empty>
          ) : (
            <WebhookTable projectId={projectId} webhooks={[...webhooks].reverse()} />
          )
        }
      </Show>
      {isCreating.value ? (
        <WebhookForm
          projectId={projectId}
          onClose={() => set(isCreating, false)}
          onCreated={(created) => {
            isCreating.value = false;
            shown.value = created;
            void loaded.reload();
          }}
        />
      ) : null}
      {shown.value === undefined ? null : (
        <ShownSecret secret={shown.value.secret} onClose={() => set(shown, undefined)} />
      )}
    </Screen>
  );
}

function WebhookTable({ projectId, webhooks }: { projectId: string; webhooks: WebhookRecord[] }) {
  return (
    <Table
      caption={texts.caption}
      rows={webhooks}
      keyOf={({ webhookId }) => webhookId}
      columns={[
        {
          title: texts.webhook,
          isName: true,
          cell: (webhook) => (
            <span>
              <a href={hashOf([projectId, 'webhooks', webhook.webhookId])}>
                <bdi>{nameOf(webhook)}</bdi>
              </a>{' '}
              <code class="soft url">{webhook.url}</code>
            </span>
          ),
        },
        { title: texts.events, cell: ({ events }) => <Events events={events} /> },
        { title: texts.lastDelivered, cell: ({ lastDeliveredAt }) => <Time at={lastDeliveredAt} /> },
        { title: texts.state, cell: (webhook) => <State webhook={webhook} /> },
      ]}
    />
  );
}

function State({ webhook: { enabled, disabledReason, failingSince } }: { webhook: WebhookRecord }) {
  if (!enabled)
    return (
      <span class="with-note">
        <Badge tone={disabledReason === 'operator' ? '' : 'bad'}>{texts.off}</Badge>
        {disabledReason === undefined ? null : <span class="soft">{texts.reasons[disabledReason]}</span>}
      </span>
    );
  if (failingSince !== undefined)
    return (
      <span class="with-note">
        <Badge tone="warn">{texts.failing}</Badge>
        <span class="soft">
          {texts.since} <Time at={failingSince} />
        </span>
      </span>
    );
  return <Badge tone="good">{texts.on}</Badge>;
}
