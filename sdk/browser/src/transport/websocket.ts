import type { TransportFactory } from '../types.ts';
import type { PageSpeech } from './page-speech.ts';
import { SessionSocket } from './session-socket.ts';

/** The built-in transport, for the included runtime and any other that implements the session.v1 subprotocol. */
export const websocket = (speech: PageSpeech | undefined): TransportFactory => ({
  type: 'websocket',
  load: async () => (context) => SessionSocket.open(context, speech),
});
