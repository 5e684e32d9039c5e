import { useSignal } from '@preact/signals';
import type { WebhookDelivery, WebhookRecord } from '@session-launch/contract/admin/webhooks';
import { request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Select } from '../../parts/field.tsx';
import { Empty } from '../../parts/notice.tsx';
import { PagedList } from '../../parts/paged-list.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import type { PageSource } from '../../parts/use-pages.ts';
import { may } from '../../state/me.ts';
import { route, setQuery } from '../../state/route.ts';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';
import { webhooksTexts as texts } from '../../texts/webhooks.ts';
import { Answer } from './answer.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { DeliveryState } from './delivery-state.tsx';
import { ReplayPeriod } from './replay-period.tsx';

/** Maximum number of deliveries of one request. */
const mostRows = 100;

/** The events of a webhook, newest first, with the attempts to deliver them. */
export function Deliveries({ webhook }: { webhook: WebhookRecord }) {
  const isReplaying = useSignal(false);
  const { status = '' } = route.value.query;
  return (
    <section class="stack">
      <div class="row spread">
        <h2>{texts.deliveries}</h2>
        {may('run-integration') ? (
          <Button onPress={() => set(isReplaying, true)}>{texts.replay}</Button>
        ) : null}
      </div>
      <div class="status-filter">
        <Select
          label={texts.deliveryStatus}
          value={status}
          options={[
            { value: '', label: texts.anyStatus },
            ...Object.entries(texts.statuses).map(([value, label]) => ({ value, label })),
          ]}
          onChange={(value) => setQuery({ status: value })}
        />
      </div>
      <PagedList
        keys={[webhook.webhookId, status]}
        source={sourceOf(webhook, status)}
        // Attempts are not announced. They follow sessions and published experiences, and counts every ten seconds.
        kinds={['webhook', 'session', 'experience', 'tally']}
        isSettling={(rows) => webhook.enabled && rows.some(isDue)}
        fresh={texts.fresh}
        empty={<NoDeliveries isFiltered={status !== ''} />}
      >
        {(rows) => <DeliveryTable webhook={webhook} deliveries={rows} />}
      </PagedList>
      {isReplaying.value ? <ReplayPeriod webhook={webhook} onClose={() => set(isReplaying, false)} /> : null}
    </section>
  );
}

function isDue({ status, nextAttemptAt }: WebhookDelivery): boolean {
  return status === 'pending' && nextAttemptAt === undefined;
}

function sourceOf({ projectId, webhookId }: WebhookRecord, status: string): PageSource<WebhookDelivery> {
  const read = (query: Record<string, string | undefined>, signal?: AbortSignal) =>
    request('GET /admin/projects/{projectId}/webhooks/{webhookId}/deliveries', {
      params: { projectId, webhookId },
      query,
      signal,
    });
  return {
    size: 25,
    idOf: ({ eventId }) => eventId,
    read: async ({ limit, cursor }, signal) => {
      const asked = { status: status || undefined, limit: String(Math.min(limit, mostRows)), cursor };
      const { deliveries, nextCursor } = await read(asked, signal);
      return { rows: deliveries, next: nextCursor };
    },
    // A delivery stops matching the filter when it is sent, and when it is sent again.
    readAgain: async (rows, signal) => {
      // The page after this cursor begins with the first of the rows.
      const cursor = `${rows[0]?.eventId}0`;
      return (await read({ limit: String(mostRows), cursor }, signal)).deliveries;
    },
  };
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) return <p class="soft">{texts.noDeliveries}</p>;
  return (
    <Empty title={texts.noMatch}>
      <Button onPress={() => setQuery({})}>{texts.showAll}</Button>
    </Empty>
  );
}

interface DeliveryTableProps {
  webhook: WebhookRecord;
  deliveries: readonly WebhookDelivery[];
}

function DeliveryTable({ webhook, deliveries }: DeliveryTableProps) {
  const { projectId, webhookId, enabled } = webhook;
  const openId = useSignal<string | undefined>(undefined);
  const open = deliveries.find(({ eventId }) => eventId === openId.value);
  const sendAgain = async (eventId: string) => {
    await request('POST /admin/projects/{projectId}/webhooks/{webhookId}/deliveries/{eventId}/replay', {
      params: { projectId, webhookId, eventId },
    });
    toast(enabled ? texts.isQueued : texts.isQueuedLater);
  };
  const again = ({ eventId }: WebhookDelivery) =>
    may('run-integration') ? (
      <Button label={texts.sendAgainOf(eventId)} onPress={() => sendAgain(eventId)}>
        {texts.sendAgain}
      </Button>
    ) : null;
  return (
    <>
      <Table
        caption={texts.deliveriesCaption}
        rows={deliveries}
        keyOf={({ eventId }) => eventId}
        columns={[
          {
            title: texts.event,
            isName: true,
            cell: ({ type, eventId }) => (
              <span>
                {type} <code class="soft">{eventId}</code>
              </span>
            ),
          },
          { title: texts.happened, cell: ({ body }) => <Time at={body.timestamp} /> },
          { title: texts.deliveryStatus, cell: (delivery) => <DeliveryState delivery={delivery} /> },
          { title: texts.lastAnswer, cell: ({ attempts }) => <LastAnswer attempt={attempts.at(-1)} /> },
          { title: texts.attempts, isNumber: true, cell: ({ attempts }) => attempts.length },
          {
            title: '',
            cell: (delivery) => (
              <span class="actions">
                <Button
                  label={texts.detailsOf(delivery.eventId)}
                  onPress={() => set(openId, delivery.eventId)}
                >
                  {texts.details}
                </Button>
                {again(delivery)}
              </span>
            ),
          },
        ]}
      />
      {open === undefined ? null : (
        <DeliveryDialog delivery={open} action={again(open)} onClose={() => set(openId, undefined)} />
      )}
    </>
  );
}

function LastAnswer({ attempt }: { attempt: WebhookDelivery['attempts'][number] | undefined }) {
  return attempt === undefined ? <span class="soft">{texts.notYet}</span> : <Answer attempt={attempt} />;
}
