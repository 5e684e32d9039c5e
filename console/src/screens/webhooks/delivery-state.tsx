import type { WebhookDelivery } from '@session-launch/contract/admin/webhooks';
import { Badge } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { webhooksTexts as texts } from '../../texts/webhooks.ts';

const tones = { pending: '', delivered: 'good', failed: 'bad' } as const;

/** The status of a delivery, and when it will be sent again. */
export function DeliveryState({ delivery: { status, nextAttemptAt } }: { delivery: WebhookDelivery }) {
  return (
    <span class="with-note">
      <Badge tone={tones[status]}>{texts.statuses[status]}</Badge>
      {status !== 'pending' || nextAttemptAt === undefined ? null : (
        <span class="soft">
          {texts.next} <Time at={nextAttemptAt} />
        </span>
      )}
    </span>
  );
}
