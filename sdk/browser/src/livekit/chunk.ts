// Entry of livekit.mjs, which is loaded when a manifest has the transport livekit.
import type { Connection, TransportContext } from '../types.ts';
import { RoomSession } from './room-session.ts';

export function open(context: TransportContext): Promise<Connection> {
  return RoomSession.open(context);
}
