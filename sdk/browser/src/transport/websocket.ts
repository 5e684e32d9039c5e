import type { TransportFactory } from '../types.ts';
import { SessionSocket } from './session-socket.ts';

/** Built in: the runtime that comes with the service, and any other that speaks session.v1. */
export const websocket: TransportFactory = {
  type: 'websocket',
  load: async () => SessionSocket.open,
};
