import { audioFrame, bounds } from '@session-launch/contract/runtime/protocol';
import { Resampler } from './resampler.ts';

const rate = audioFrame.inputSampleRate;
const maxSamples = (rate * bounds.soundFrameMs) / 1000;
const sampleRates = { min: 8000, max: 48_000 };

/** Converts the audio of a client to binary frames of session.v1: mono, 16 kHz, at most `bounds.soundFrameMs` each. */
export class Microphone {
  #resampler = new Resampler(rate, rate);

  /** Returns `undefined` if the audio is in a format that is not supported. */
  frames(pcm: Uint8Array, sampleRate: number, channels: number): Uint8Array[] | undefined {
    const isRate = sampleRate >= sampleRates.min && sampleRate <= sampleRates.max;
    if (!isRate || (channels !== 1 && channels !== 2) || pcm.length % (2 * channels) !== 0) return undefined;
    if (this.#resampler.from !== sampleRate) this.#resampler = new Resampler(sampleRate, rate);
    // Copied, because 16-bit samples must be aligned.
    const samples = this.#resampler.push(mono(new Int16Array(Uint8Array.from(pcm).buffer), channels));
    const frames: Uint8Array[] = [];
    for (let at = 0; at < samples.length; at += maxSamples)
      frames.push(userFrame(samples.subarray(at, at + maxSamples)));
    return frames;
  }
}

function mono(samples: Int16Array, channels: number): Int16Array {
  if (channels === 1) return samples;
  return Int16Array.from({ length: samples.length / 2 }, (_, i) =>
    Math.round((samples[2 * i]! + samples[2 * i + 1]!) / 2),
  );
}

function userFrame(samples: Int16Array): Uint8Array {
  const frame = Buffer.alloc(audioFrame.headerBytes + samples.byteLength);
  frame.writeUInt8(audioFrame.kinds.user, audioFrame.kindAt);
  frame.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), audioFrame.headerBytes);
  return frame;
}
