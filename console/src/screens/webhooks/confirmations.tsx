import { useSignal } from '@preact/signals';
import type { WebhookRecord } from '@session-launch/contract/admin/webhooks';
import { request } from '../../api/client.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Select } from '../../parts/field.tsx';
import { goTo, hashOf } from '../../state/route.ts';
import { toast } from '../../state/toasts.ts';
import { webhooksTexts as texts } from '../../texts/webhooks.ts';

interface AskProps {
  webhook: WebhookRecord;
  onClose(): void;
}

export function DeleteWebhook({ webhook: { projectId, webhookId, url }, onClose }: AskProps) {
  return (
    <Confirm
      title={texts.deleteTitle}
      action={texts.deleteWebhook}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        const params = { projectId, webhookId };
        await request('DELETE /admin/projects/{projectId}/webhooks/{webhookId}', { params });
        toast(texts.isDeleted);
        goTo(hashOf([projectId, 'webhooks']));
      }}
    >
      <p>{texts.deleteText(url)}</p>
    </Confirm>
  );
}

export function DisableWebhook({
  webhook: { projectId, webhookId },
  onDone,
  onClose,
}: AskProps & { onDone(): unknown }) {
  return (
    <Confirm
      title={texts.disableTitle}
      action={texts.disable}
      onClose={onClose}
      onConfirm={async () => {
        const params = { projectId, webhookId };
        const body = { enabled: false };
        await request('PATCH /admin/projects/{projectId}/webhooks/{webhookId}', { params, body });
        toast(texts.isDisabled);
        void onDone();
      }}
    >
      <p>{texts.disabledText}</p>
    </Confirm>
  );
}

export function NewSecret({
  webhook: { projectId, webhookId },
  onDone,
  onClose,
}: AskProps & { onDone(secret: string): void }) {
  const grace = useSignal('86400');
  return (
    <Confirm
      title={texts.newSecretTitle}
      action={texts.createSecret}
      onClose={onClose}
      onConfirm={async () => {
        const { secret } = await request('POST /admin/projects/{projectId}/webhooks/{webhookId}/secret', {
          params: { projectId, webhookId },
          body: { graceSeconds: Number(grace.value) },
        });
        onDone(secret);
      }}
    >
      <Select
        label={texts.grace}
        help={texts.newSecretText}
        value={grace.value}
        options={texts.graces}
        onChange={(value) => {
          grace.value = value;
        }}
      />
    </Confirm>
  );
}
