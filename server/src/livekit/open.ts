import type { LivekitKeys } from '../transports/livekit-token.ts';
import { type LivekitDeps, LivekitSessions } from './livekit-sessions.ts';
import { RoomService } from './room-service.ts';

export interface Livekit {
  keys: LivekitKeys;
  sessions: LivekitSessions;
  close(): Promise<void>;
}

/** Connects the sessions in LiveKit's rooms to its RoomService. */
export function openLivekit(keys: LivekitKeys, deps: Omit<LivekitDeps, 'rooms'>): Livekit {
  const rooms = new RoomService(keys);
  const sessions = new LivekitSessions({ ...deps, rooms });
  return {
    keys,
    sessions,
    close: async () => {
      await sessions.settled();
      await rooms.close();
    },
  };
}
