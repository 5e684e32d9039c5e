import type { Events, Experience, Message, PlayerState } from '@session-launch/browser';

export type Snapshot = Readonly<PlayerState> & { readonly messages: readonly Message[] };

/** Initial snapshot, also used for server-side rendering. */
export const idle: Snapshot = {
  state: 'idle',
  mode: null,
  mic: 'off',
  outputBlocked: false,
  captions: true,
  messages: [],
};

const events: (keyof Events)[] = [
  'stateChange',
  'modeChange',
  'message',
  'micChange',
  'outputChange',
  'error',
];

export interface Store {
  subscribe(changed: () => void): () => void;
  snapshot(): Snapshot;
  /** Sets whether the player shows captions. The experience does not have this state. */
  setCaptions(captions: boolean): void;
}

/** Adapts an experience to `useSyncExternalStore`: the snapshot keeps its identity until the state changes. */
export function storeOf(experience: Experience): Store {
  let captions = true;
  let endReason: PlayerState['endReason'];
  let current = idle;
  const listeners = new Set<() => void>();
  const renew = () => {
    const { state, mode, mic, output, session, error, messages } = experience;
    if (state === 'minting') endReason = undefined;
    current = {
      state,
      mode,
      mic: mic.status,
      outputBlocked: output.blocked,
      captions,
      messages,
      ...(session === null ? {} : { sessionId: session.sessionId }),
      ...(error === null ? {} : { error }),
      ...(endReason === undefined ? {} : { endReason }),
    };
    for (const changed of listeners) changed();
  };
  return {
    snapshot: () => current,
    setCaptions: (shown) => {
      if (shown === captions) return;
      captions = shown;
      renew();
    },
    subscribe: (changed) => {
      listeners.add(changed);
      const offs = [
        // A separate function per subscriber: the emitter identifies handlers by identity, so a shared one would be removed for all.
        ...events.map((event) => experience.on(event, () => renew())),
        experience.on('ended', ({ reason }) => {
          endReason = reason;
          renew();
        }),
      ];
      // Events between two subscriptions were missed.
      if (experience.state !== current.state) renew();
      return () => {
        listeners.delete(changed);
        for (const off of offs) off();
      };
    },
  };
}
