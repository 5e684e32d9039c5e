import type { WebhookDelivery } from '@session-launch/contract/admin/webhooks';
import { webhooksTexts as texts } from '../../texts/webhooks.ts';

type Attempt = Omit<WebhookDelivery['attempts'][number], 'at'>;

/** The status of a response, or why there is none, and how long the attempt took. */
export function Answer({ attempt: { status, error, milliseconds } }: { attempt: Attempt }) {
  return (
    <span>
      {status === undefined ? null : texts.status(status)}
      {status !== undefined && error !== undefined ? ', ' : null}
      {error} <span class="soft number took">{texts.took(milliseconds)}</span>
    </span>
  );
}

/** The beginning of the body of a response. */
export function ResponseBody({
  text,
  isTruncated = false,
}: {
  text: string;
  isTruncated?: boolean | undefined;
}) {
  return (
    <div class="response">
      <p class="soft">{isTruncated ? texts.responseBeginning : texts.response}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <div class="response-text" tabIndex={0}>
        {text}
      </div>
    </div>
  );
}
