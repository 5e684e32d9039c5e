import type { Connection, TransportContext, TransportFactory } from '../types.ts';
import { refusalOf } from './refusals.ts';

interface Chunk {
  open(context: TransportContext): Promise<Connection>;
}

/** The built-in transport for rooms of LiveKit. Its code and LiveKit's client are in a separate file, because most pages never need them. */
export const livekit: TransportFactory = {
  type: 'livekit',
  load: async () => async (context) => {
    const chunk: Chunk = await import(
      /* @vite-ignore */ /* webpackIgnore: true */ `${context.sdkUrl}livekit.mjs`
    );
    return chunk.open(context).catch((error) => {
      // The file of LiveKit does not contain the error class.
      throw error.closeCode ? refusalOf(error.closeCode, '') : error;
    });
  },
};
