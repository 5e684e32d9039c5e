import type { TransportFactory } from '../types.ts';
import type { PageSpeech } from './page-speech.ts';
import { SessionSocket } from './session-socket.ts';

/** Built in: the runtime that comes with the service, and any other that speaks session.v1. */
export const websocket = (speech: PageSpeech | undefined): TransportFactory => ({
  type: 'websocket',
  load: async () => (context) => SessionSocket.open(context, speech),
});
