import { eventsOperation } from '@session-launch/contract/admin/system';
import type { FastifyRequest } from 'fastify';

/** Whether a request opens the stream of events. */
export function isEventStream({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url === eventsOperation.path;
}
