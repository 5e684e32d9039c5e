import type { WebhookRecord } from '@session-launch/contract/admin/webhooks';

/** The name of a webhook, or the host that it sends to. */
export function nameOf({ name, url }: Pick<WebhookRecord, 'name' | 'url'>): string {
  return name ?? (URL.canParse(url) ? new URL(url).host : url);
}
