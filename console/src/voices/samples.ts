import cues from './cues.json';

/** A sample of an included voice, with the mouth shapes at its original speed. */
interface Sample {
  cues: readonly (readonly [ms: number, viseme: string])[];
  /** Each sound is a separate file that is loaded when it is first played. */
  sound(): Promise<{ default: Uint8Array }>;
}

const cuesOf = (voice: keyof typeof cues) => cues[voice] as unknown as Sample['cues'];

export const samples: Record<string, Sample> = {
  slt: { cues: cuesOf('slt'), sound: () => import('./slt.ulaw') },
  rms: { cues: cuesOf('rms'), sound: () => import('./rms.ulaw') },
  awb: { cues: cuesOf('awb'), sound: () => import('./awb.ulaw') },
  kal16: { cues: cuesOf('kal16'), sound: () => import('./kal16.ulaw') },
};
