/** Mono audio with 16-bit samples. */
export interface Audio {
  sampleRate: number;
  samples: Int16Array;
}

const headerBytes = 44;
/** Values of the format field: PCM, and the extensible format, whose samples are PCM in practice. */
const formats = [1, 0xfffe];

/**
 * Returns the first channel of a 16-bit PCM WAV file; `undefined` if the file has another format. A data chunk whose stated size exceeds
 * the file, as streaming writers produce, ends with the file.
 */
export function readWav(file: Uint8Array): Audio | undefined {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const tag = (at: number) => bytes.toString('latin1', at, at + 4);
  if (bytes.length < 12 || tag(0) !== 'RIFF' || tag(8) !== 'WAVE') return undefined;
  let format: { channels: number; sampleRate: number } | undefined;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32LE(at + 4);
    const body = at + 8;
    if (tag(at) === 'fmt ' && body + 16 <= bytes.length) {
      if (!formats.includes(bytes.readUInt16LE(body)) || bytes.readUInt16LE(body + 14) !== 16)
        return undefined;
      format = { channels: bytes.readUInt16LE(body + 2), sampleRate: bytes.readUInt32LE(body + 4) };
    } else if (tag(at) === 'data' && format !== undefined && format.channels > 0) {
      const step = 2 * format.channels;
      const samples = new Int16Array(Math.floor((Math.min(bytes.length, body + size) - body) / step));
      for (let i = 0; i < samples.length; i++) samples[i] = bytes.readInt16LE(body + i * step);
      return { sampleRate: format.sampleRate, samples };
    }
    at = body + size + (size % 2);
  }
  return undefined;
}

export function writeWav({ sampleRate, samples }: Audio): Buffer<ArrayBuffer> {
  const file = Buffer.alloc(headerBytes + samples.byteLength);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(sampleRate, 24);
  file.writeUInt32LE(sampleRate * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(samples.byteLength, 40);
  // Samples are copied in the host's byte order, which is little-endian on all supported platforms.
  Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).copy(file, headerBytes);
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
