/** Names of agents as LiveKit's dispatch accepts them; a rough limit against mistakes. */
export const agentNamePattern = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$';

/** How clients reach a room of a LiveKit server. The service adds the token and the room to the manifest. */
export interface LivekitTransport {
  type: 'livekit';
  /** The LiveKit server: wss://, or ws:// in development. */
  url: string;
  agentName?: string;
}

/** What a manifest contains of the transport, besides the type and the URL. */
export interface LivekitAccess {
  /** A token of LiveKit: it joins the room of this session, as this session's user. */
  token: string;
  roomName: string;
}

/** The identity of the client of a session in its room. */
export const livekitIdentity = (sessionId: string) => `user_${sessionId}`;
