import { EngineError } from '../endpoint.ts';

/** Mono audio. */
export interface Audio {
  sampleRate: number;
  samples: Int16Array;
}

/** Reads 16-bit PCM from a RIFF file. A chunk size unknown to a streaming writer is taken as the rest of the file. */
export function readWav(file: Uint8Array): Audio {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const tag = (at: number) => String.fromCharCode(...file.subarray(at, at + 4));
  if (file.length < 12 || tag(0) !== 'RIFF' || tag(8) !== 'WAVE') throw new EngineError(0, 'not a WAV file');
  let format: { channels: number; sampleRate: number } | undefined;
  for (let at = 12; at + 8 <= file.length; ) {
    const size = view.getUint32(at + 4, true);
    const body = at + 8;
    if (tag(at) === 'fmt ') {
      const [coding, bits] = [view.getUint16(body, true), view.getUint16(body + 14, true)];
      if ((coding !== 1 && coding !== 0xfffe) || bits !== 16)
        throw new EngineError(0, 'not a WAV file of 16-bit PCM');
      format = { channels: view.getUint16(body + 2, true), sampleRate: view.getUint32(body + 4, true) };
    } else if (tag(at) === 'data') {
      if (format === undefined) throw new EngineError(0, 'a WAV file without its format');
      const end = Math.min(file.length, body + size);
      const frames = Math.floor((end - body) / 2 / format.channels);
      const samples = new Int16Array(frames);
      // Only the first channel is read; voices are mono.
      for (let i = 0; i < frames; i++) samples[i] = view.getInt16(body + i * 2 * format.channels, true);
      return { sampleRate: format.sampleRate, samples };
    }
    at = body + size + (size % 2);
  }
  throw new EngineError(0, 'a WAV file without sound');
}

export function writeWav({ sampleRate, samples }: Audio): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(44 + samples.length * 2);
  const view = new DataView(file.buffer);
  const tag = (at: number, text: string) => file.set(new TextEncoder().encode(text), at);
  tag(0, 'RIFF');
  view.setUint32(4, file.length - 8, true);
  tag(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  tag(36, 'data');
  view.setUint32(40, samples.length * 2, true);
  for (const [index, sample] of samples.entries()) view.setInt16(44 + index * 2, sample, true);
  return file;
}

/** Resamples with linear interpolation, which is sufficient for speech. */
export function resampled({ sampleRate, samples }: Audio, rate: number): Int16Array {
  if (sampleRate === rate) return samples;
  const result = new Int16Array(Math.floor((samples.length * rate) / sampleRate));
  for (let i = 0; i < result.length; i++) {
    const at = (i * sampleRate) / rate;
    const left = Math.floor(at);
    const [a, b] = [samples[left] ?? 0, samples[left + 1] ?? samples[left] ?? 0];
    result[i] = Math.round(a + (b - a) * (at - left));
  }
  return result;
}
