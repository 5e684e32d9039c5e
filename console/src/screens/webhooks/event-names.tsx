import type { WebhookRecord } from '@session-launch/contract/admin/webhooks';

export function Events({ events }: Pick<WebhookRecord, 'events'>) {
  return (
    <ul class="events">
      {events.map((event) => (
        <li key={event}>
          <code>{event}</code>
        </li>
      ))}
    </ul>
  );
}
