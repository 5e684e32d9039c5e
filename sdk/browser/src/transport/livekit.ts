import type { Connection, TransportContext, TransportFactory } from '../types.ts';

interface Chunk {
  open(context: TransportContext): Promise<Connection>;
}

/** The built-in transport for rooms of LiveKit. Its code, with LiveKit's client, is a file of its own: most pages never need it. */
export const livekit: TransportFactory = {
  type: 'livekit',
  load: async () => async (context) => {
    const chunk: Chunk = await import(
      /* @vite-ignore */ /* webpackIgnore: true */ `${context.sdkUrl}livekit.mjs`
    );
    return chunk.open(context);
  },
};
