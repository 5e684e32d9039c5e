import type { Static } from 'typebox';
import Type from '../type.ts';

/** What an address looks like; whether it is one, only parsing it tells. */
export const websocketAddress = '^wss?://[^\\s/?#][^\\s]*$';

/** A runtime that clients reach over a WebSocket. */
export const websocketTransport = Type.Object(
  {
    type: Type.Enum(['websocket'], { description: 'How clients connect.', examples: ['websocket'] }),
    url: Type.Optional(
      Type.String({
        pattern: websocketAddress,
        description:
          'Address that clients connect to with their session token: wss://, or ws:// in development. Leave it out for the runtime beside this service.',
        examples: ['wss://runtime.example.com/session'],
      }),
    ),
  },
  {
    additionalProperties: true,
    description: 'Where the session runs. Further fields reach the client as written.',
    examples: [{ type: 'websocket', url: 'wss://runtime.example.com/session' }],
  },
);

export type WebsocketTransport = Static<typeof websocketTransport>;
