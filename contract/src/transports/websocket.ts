/** A rough pattern of a WebSocket URL; parsing decides whether it is valid. */
export const websocketAddress = '^wss?://[^\\s/?#][^\\s]*$';

/** A runtime reached over a WebSocket. */
export interface WebsocketTransport {
  type: 'websocket';
  /** Absent: the runtime included in the service. */
  url?: string;
}
