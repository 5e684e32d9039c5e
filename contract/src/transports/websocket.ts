import type { Static } from 'typebox';
import { optional } from '../fields.ts';
import Type from '../type.ts';

/** A rough pattern of a WebSocket URL; parsing decides whether it is valid. */
export const websocketAddress = '^wss?://[^\\s/?#][^\\s]*$';

/** A runtime reached over a WebSocket. */
export const websocketTransport = Type.Object(
  {
    type: Type.Enum(['websocket'], { description: 'How clients connect.', examples: ['websocket'] }),
    url: optional.string({
      pattern: websocketAddress,
      description:
        'URL that clients connect to with their session token: wss://, or ws:// in development. Omit it to use the runtime included in this service.',
      examples: ['wss://runtime.example.com/session'],
    }),
  },
  {
    additionalProperties: true,
    description: 'How clients reach the runtime. Additional fields are passed to the client unchanged.',
    examples: [{ type: 'websocket', url: 'wss://runtime.example.com/session' }],
  },
);

export type WebsocketTransport = Static<typeof websocketTransport>;
