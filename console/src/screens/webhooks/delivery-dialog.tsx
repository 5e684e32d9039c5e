import type { WebhookDelivery } from '@session-launch/contract/admin/webhooks';
import type { ComponentChildren } from 'preact';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CopyValue } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { webhooksTexts as texts } from '../../texts/webhooks.ts';
import { Answer, ResponseBody } from './answer.tsx';
import { DeliveryState } from './delivery-state.tsx';

interface DeliveryDialogProps {
  delivery: WebhookDelivery;
  /** What can be done with it. */
  action: ComponentChildren;
  onClose(): void;
}

/** One delivery: every attempt, newest first, and the body. */
export function DeliveryDialog({ delivery, action, onClose }: DeliveryDialogProps) {
  const { type, eventId, attempts } = delivery;
  const body = JSON.stringify(delivery.body, null, 2);
  return (
    <Dialog title={type} isWide onClose={onClose}>
      <p class="row">
        <DeliveryState delivery={delivery} />
        <code class="soft">{eventId}</code>
      </p>
      <section class="stack">
        <h3>{texts.attempts}</h3>
        {attempts.length === 0 ? <p class="soft">{texts.notYet}</p> : null}
        <ol class="timeline" reversed>
          {[...attempts].reverse().map((attempt) => (
            <li key={attempt.at}>
              <Answer attempt={attempt} />{' '}
              <span class="soft">
                <Time at={attempt.at} />
              </span>
              {attempt.response === undefined ? null : (
                <ResponseBody text={attempt.response} isTruncated={attempt.responseTruncated} />
              )}
            </li>
          ))}
        </ol>
      </section>
      <section class="stack">
        <h3>{texts.body}</h3>
        <CopyValue value={body} label={texts.bodyItself} />
      </section>
      <div class="dialog-foot">
        {action}
        <Button look="primary" onPress={onClose}>
          {texts.done}
        </Button>
      </div>
    </Dialog>
  );
}
