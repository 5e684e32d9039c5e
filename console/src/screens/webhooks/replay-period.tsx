import { useSignal } from '@preact/signals';
import type { WebhookRecord } from '@session-launch/contract/admin/webhooks';
import { messageOf, problemsOf, request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { toast } from '../../state/toasts.ts';
import { texts as allTexts } from '../../texts/texts.ts';
import { webhooksTexts as texts } from '../../texts/webhooks.ts';

const dayMs = 86_400_000;

/** Sends the events of a period again; at first, those of the last 24 hours. */
export function ReplayPeriod({
  webhook: { projectId, webhookId },
  onClose,
}: {
  webhook: WebhookRecord;
  onClose(): void;
}) {
  const from = useSignal(localMinute(Date.now() - dayMs));
  // The minute that has begun is included.
  const to = useSignal(localMinute(Date.now() + 60_000));
  const problems = useSignal<Record<string, string>>({});
  const send = async () => {
    problems.value = {};
    try {
      const { events } = await request('POST /admin/projects/{projectId}/webhooks/{webhookId}/replay', {
        params: { projectId, webhookId },
        body: { from: new Date(from.value).toISOString(), to: new Date(to.value).toISOString() },
      });
      toast(texts.replayed(events));
      onClose();
    } catch (error) {
      const found = problemsOf(error);
      problems.value = 'from' in found || 'to' in found ? found : { to: messageOf(error) };
    }
  };
  return (
    <Dialog title={texts.replay} onClose={onClose}>
      <Form onSubmit={send}>
        <p>{texts.replayText}</p>
        <TextField
          label={texts.from}
          type="datetime-local"
          value={from.value}
          problem={problems.value.from}
          required
          autoFocus
          onInput={(value) => {
            from.value = value;
          }}
        />
        <TextField
          label={texts.to}
          type="datetime-local"
          value={to.value}
          problem={problems.value.to}
          required
          onInput={(value) => {
            to.value = value;
          }}
        />
        <div class="dialog-foot">
          <Button onPress={onClose}>{allTexts.cancel}</Button>
          <Button type="submit" look="primary">
            {texts.sendAgain}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

/** A time as the fields of the browser have it: in the local time zone, in minutes. */
function localMinute(at: number): string {
  const offsetMs = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - offsetMs).toISOString().slice(0, 16);
}
