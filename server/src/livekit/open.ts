import { setTimeout } from 'node:timers/promises';
import type { LivekitKeys } from '../transports/livekit-token.ts';
import { type LivekitDeps, LivekitSessions } from './livekit-sessions.ts';
import { RoomService } from './room-service.ts';

/** Milliseconds for which a stop waits for requests to LiveKit. */
const settleMs = 5_000;

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
      await Promise.race([sessions.settled(), setTimeout(settleMs, undefined, { ref: false })]);
      // Requests that are still in flight fail.
      await rooms.close();
      await sessions.settled();
    },
  };
}
