import { useSignal } from '@preact/signals';
import type { CreatedWebhook, WebhookRecord } from '@session-launch/contract/admin/webhooks';
import { type EventType, eventTypes } from '@session-launch/contract/webhook-events';
import { messageOf, problemsOf, request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choices, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { toast } from '../../state/toasts.ts';
import { useTyped } from '../../state/typed.ts';
import { texts as allTexts } from '../../texts/texts.ts';
import { webhooksTexts as texts } from '../../texts/webhooks.ts';

/** `webhook.test` is sent by the test only. */
const choices = eventTypes.filter((type) => type !== 'webhook.test');

interface WebhookFormProps {
  projectId: string;
  /** The webhook to change. Absent: creates one. */
  webhook?: WebhookRecord;
  onCreated?(created: CreatedWebhook): void;
  onChanged?(): unknown;
  onClose(): void;
}

/** Creates a webhook, or changes its URL, events and name. */
export function WebhookForm({ projectId, webhook, onCreated, onChanged, onClose }: WebhookFormProps) {
  const saved = { url: webhook?.url ?? '', name: webhook?.name ?? '', events: webhook?.events ?? [] };
  // Fields that were not touched follow the changes of other operators.
  const typed = useTyped<{ url?: string; name?: string; events?: EventType[] }>(
    webhook === undefined ? `create-webhook ${projectId}` : `change-webhook ${webhook.webhookId}`,
    {},
  );
  const { url, name, events } = { ...saved, ...typed.value };
  const problems = useSignal<Record<string, string>>({});
  const close = () => {
    typed.forget();
    onClose();
  };
  const send = async () => {
    const body = { url: url.trim(), events, name: name.trim() || undefined };
    if (webhook === undefined) {
      onCreated?.(
        await request('POST /admin/projects/{projectId}/webhooks', { params: { projectId }, body }),
      );
    } else {
      const changes = {
        ...(body.url === saved.url ? {} : { url: body.url }),
        ...(body.events.join() === saved.events.join() ? {} : { events }),
        ...(body.name === undefined || body.name === saved.name ? {} : { name: body.name }),
      };
      if (Object.keys(changes).length > 0) {
        const params = { projectId, webhookId: webhook.webhookId };
        await request('PATCH /admin/projects/{projectId}/webhooks/{webhookId}', { params, body: changes });
        toast(texts.changed);
        void onChanged?.();
      }
    }
    typed.forget();
    if (webhook !== undefined) onClose();
  };
  const submit = async () => {
    problems.value = events.length === 0 ? { events: texts.noEvents } : {};
    if (events.length === 0) return;
    try {
      await send();
    } catch (error) {
      const found = problemsOf(error);
      const isAtField = ['url', 'events', 'name'].some((field) => field in found);
      problems.value = isAtField ? found : { '': messageOf(error) };
    }
  };
  const title = webhook === undefined ? texts.create : texts.changeTitle;
  return (
    <Dialog title={title} onClose={close}>
      <Form onSubmit={submit}>
        <TextField
          label={texts.url}
          help={texts.urlHelp}
          value={url}
          problem={problems.value.url}
          maxLength={2048}
          required
          autoFocus
          onInput={(value) => typed.set({ url: value })}
        />
        <TextField
          label={texts.name}
          help={texts.nameHelp}
          value={name}
          problem={problems.value.name}
          maxLength={200}
          // The service keeps the name if none is sent.
          required={webhook?.name !== undefined}
          onInput={(value) => typed.set({ name: value })}
        />
        <Choices
          label={texts.events}
          type="checkbox"
          options={choices.map((value) => ({
            value,
            label: (
              <>
                <code>{value}</code> <span class="soft">{texts.eventHelp[value]}</span>
              </>
            ),
          }))}
          chosen={events}
          problem={problems.value.events}
          onChange={(chosen) => typed.set({ events: choices.filter((one) => chosen.includes(one)) })}
        />
        {problems.value[''] === undefined ? null : (
          <p class="bad" role="alert">
            {problems.value['']}
          </p>
        )}
        <div class="dialog-foot">
          <Button onPress={close}>{allTexts.cancel}</Button>
          <Button type="submit" look="primary">
            {webhook === undefined ? texts.create : allTexts.save}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
