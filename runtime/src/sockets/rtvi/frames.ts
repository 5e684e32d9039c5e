// The protobuf messages of Pipecat's `frames.proto` that RTVI clients exchange:
//
//   message AudioRawFrame { uint64 id = 1; string name = 2; bytes audio = 3; uint32 sample_rate = 4; uint32 num_channels = 5; }
//   message MessageFrame { string data = 1; }
//   message Frame { oneof frame { TextFrame text = 1; AudioRawFrame audio = 2; TranscriptionFrame transcription = 3; MessageFrame message = 4; } }
//
// Samples are copied in the host's byte order. PCM is little-endian, as are all supported platforms.

export type RtviFrame =
  | { kind: 'message'; json: string }
  | { kind: 'audio'; pcm: Uint8Array; sampleRate: number; channels: number }
  /** Another frame type, or none. */
  | { kind: 'other' };

const frameFields = { audio: 2, message: 4 };
const audioFields = { pcm: 3, sampleRate: 4, channels: 5 };
const messageFields = { json: 1 };

/** Wire types of protobuf. */
const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 };

type Value = number | Uint8Array;

/** Returns `undefined` if the bytes are not a valid frame. */
export function readFrame(bytes: Uint8Array): RtviFrame | undefined {
  const frame = readFields(bytes);
  const audio = subFields(frame?.get(frameFields.audio));
  const message = subFields(frame?.get(frameFields.message));
  if (frame === undefined || audio === 'invalid' || message === 'invalid') return undefined;
  if (message !== undefined) {
    const json = message.get(messageFields.json) ?? new Uint8Array();
    return typeof json === 'number' ? undefined : { kind: 'message', json: Buffer.from(json).toString() };
  }
  if (audio === undefined) return { kind: 'other' };
  const pcm = audio.get(audioFields.pcm) ?? new Uint8Array();
  const sampleRate = audio.get(audioFields.sampleRate) ?? 0;
  const channels = audio.get(audioFields.channels) ?? 0;
  if (typeof pcm === 'number' || typeof sampleRate !== 'number' || typeof channels !== 'number')
    return undefined;
  return { kind: 'audio', pcm, sampleRate, channels };
}

export function messageFrame(json: string): Uint8Array {
  return bytesField(frameFields.message, [bytesField(messageFields.json, [Buffer.from(json)])]);
}

/** Mono PCM. */
export function soundFrame(samples: Int16Array, sampleRate: number): Uint8Array {
  const pcm = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  return bytesField(frameFields.audio, [
    bytesField(audioFields.pcm, [pcm]),
    numberField(audioFields.sampleRate, sampleRate),
    numberField(audioFields.channels, 1),
  ]);
}

function subFields(value: Value | undefined): Map<number, Value> | 'invalid' | undefined {
  if (value === undefined) return undefined;
  return (typeof value === 'number' ? undefined : readFields(value)) ?? 'invalid';
}

/** The last value of each field, as protobuf specifies for fields that are not repeated. `undefined` if the bytes are malformed. */
function readFields(bytes: Uint8Array): Map<number, Value> | undefined {
  const fields = new Map<number, Value>();
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let i = 0; i < 10; i++) {
      const byte = bytes[at++];
      if (byte === undefined) return Number.NaN;
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const tag = varint();
    const [number, type] = [Math.floor(tag / 8), tag % 8];
    if (!(number >= 1)) return undefined;
    if (type === wireTypes.varint) fields.set(number, varint());
    else if (type === wireTypes.fixed64) at += 8;
    else if (type === wireTypes.fixed32) at += 4;
    else if (type === wireTypes.bytes) {
      const end = varint() + at;
      fields.set(number, bytes.subarray(at, end));
      at = end;
    } else return undefined;
    if (!(at <= bytes.length) || Number.isNaN(fields.get(number))) return undefined;
  }
  return fields;
}

function bytesField(number: number, parts: Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Uint8Array.of(number * 8 + wireTypes.bytes, ...varint(length)), ...parts]);
}

function numberField(number: number, value: number): Uint8Array {
  return Uint8Array.of(number * 8 + wireTypes.varint, ...varint(value));
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}
