import fvad from '@echogarden/fvad-wasm';
import { audioFrame } from '@session-launch/contract/runtime/protocol';
import { concatenated } from '../samples.ts';

/** Length of a step in milliseconds; libfvad supports 10, 20 and 30. */
const stepMs = 20;
const stepSamples = (audioFrame.inputSampleRate * stepMs) / 1000;
/** Mode of libfvad, from 0 (most sounds count as speech) to 3 (fewest). */
const aggressiveness = 2;

interface Fvad {
  HEAP16: Int16Array;
  _fvad_new(): number;
  _fvad_free(detector: number): void;
  _fvad_set_mode(detector: number, mode: number): number;
  _fvad_set_sample_rate(detector: number, rate: number): number;
  _fvad_process(detector: number, samples: number, length: number): number;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
}

/** Classifies audio as speech or non-speech in steps of 20 ms. */
export interface Detector {
  /** Length of a step in milliseconds. */
  readonly ms: number;
  /** Accepts any number of samples; calls `step` for each complete step. */
  push(samples: Int16Array, step: (samples: Int16Array, isSpeech: boolean) => void): void;
  /** May be called in a step, for example because a turn ends the session. */
  close(): void;
}

/** Loads the library once; each call of the returned function creates a detector. */
export async function openVoiceActivity(): Promise<() => Detector> {
  const library = (await fvad()) as Fvad;
  return () => {
    const detector = library._fvad_new();
    library._fvad_set_mode(detector, aggressiveness);
    library._fvad_set_sample_rate(detector, audioFrame.inputSampleRate);
    const pointer = library._malloc(stepSamples * 2);
    let rest = new Int16Array(0);
    let isClosed = false;
    return {
      ms: stepMs,
      push: (samples, step) => {
        const all = concatenated([rest, samples]);
        let at = 0;
        for (; !isClosed && at + stepSamples <= all.length; at += stepSamples) {
          const frame = all.subarray(at, at + stepSamples);
          library.HEAP16.set(frame, pointer / 2);
          step(frame, library._fvad_process(detector, pointer, stepSamples) === 1);
        }
        rest = all.slice(at);
      },
      close: () => {
        if (isClosed) return;
        isClosed = true;
        library._free(pointer);
        library._fvad_free(detector);
      },
    };
  };
}
