/** Mono audio with 16-bit samples. */
export interface Sound {
  sampleRate: number;
  samples: Int16Array;
}

const headerBytes = 44;

export function writeWav({ sampleRate, samples }: Sound): Buffer {
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
  Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).copy(file, headerBytes);
  return file;
}

/** Returns the first channel of a 16-bit PCM WAV file; `undefined` if the file has another format. */
export function readWav(file: Buffer): Sound | undefined {
  if (file.length < headerBytes || file.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  let format: { channels: number; sampleRate: number } | undefined;
  for (let at = 12; at + 8 <= file.length; ) {
    const name = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    const body = at + 8;
    if (name === 'fmt ' && body + 16 <= file.length) {
      if (file.readUInt16LE(body) !== 1 || file.readUInt16LE(body + 14) !== 16) return undefined;
      format = { channels: file.readUInt16LE(body + 2), sampleRate: file.readUInt32LE(body + 4) };
    } else if (name === 'data' && format !== undefined) {
      const step = 2 * format.channels;
      const frames = Math.floor((Math.min(file.length, body + size) - body) / step);
      const samples = Int16Array.from({ length: frames }, (_, i) => file.readInt16LE(body + i * step));
      return { sampleRate: format.sampleRate, samples };
    }
    at = body + size + (size % 2);
  }
  return undefined;
}

/** Resamples with linear interpolation. */
export function atRate({ sampleRate, samples }: Sound, rate: number): Int16Array {
  if (sampleRate === rate) return samples;
  return Int16Array.from({ length: Math.floor((samples.length * rate) / sampleRate) }, (_, i) => {
    const at = (i * sampleRate) / rate;
    const left = Math.floor(at);
    const [a, b] = [samples[left] ?? 0, samples[left + 1] ?? samples[left] ?? 0];
    return Math.round(a + (b - a) * (at - left));
  });
}
