import { optional } from '../fields.ts';
import Type from '../type.ts';
import { agentNamePattern } from './livekit.ts';
import { websocketAddress } from './websocket.ts';

/**
 * The transport of an experience. One object for all types, so that forms and error messages need no union; what a type demands in addition
 * is checked by the service (`server/src/transports`).
 */
export const transport = Type.Object(
  {
    type: Type.Enum(['websocket', 'livekit'], {
      description: 'How clients connect: to a runtime over a WebSocket, or to a room of a LiveKit server.',
      examples: ['websocket'],
    }),
    url: optional.string({
      pattern: websocketAddress,
      description:
        'URL that clients connect to: wss://, or ws:// in development. With websocket, omit it to use the runtime included in this service. With livekit, the address of the LiveKit server.',
      examples: ['wss://runtime.example.com/session'],
    }),
    agentName: optional.string({
      pattern: agentNamePattern,
      description:
        'With livekit: the agent that LiveKit dispatches to the room. Omit it for agents that were registered without a name.',
      examples: ['harbor-guide'],
    }),
  },
  {
    additionalProperties: true,
    description: 'How clients reach the runtime. Additional fields are passed to the client unchanged.',
    examples: [
      { type: 'websocket', url: 'wss://runtime.example.com/session' },
      { type: 'livekit', url: 'wss://livekit.example.com', agentName: 'harbor-guide' },
    ],
  },
);
