import { audioFrame, opus } from '@session-launch/contract/runtime/protocol';

const lengthBytes = 2;

/** Writes packets to a payload, each after its length. */
export function packed(packets: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafe(packets.reduce((sum, { length }) => sum + lengthBytes + length, 0));
  let at = 0;
  for (const packet of packets) {
    at = bytes.writeUInt16LE(packet.length, at);
    bytes.set(packet, at);
    at += packet.length;
  }
  return bytes;
}

/** Reads the packets of a payload. Returns `undefined` if it holds anything else than whole packets of 20 ms each. */
export function unpacked(payload: Uint8Array): Uint8Array[] | undefined {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const packets: Uint8Array[] = [];
  for (let at = 0; at < payload.length; ) {
    if (at + lengthBytes > payload.length) return undefined;
    const length = view.getUint16(at, true);
    at += lengthBytes;
    // A copy, because the socket's buffer would be sent to the thread as a whole.
    const packet = payload.slice(at, at + length);
    if (packet.length !== length || length > opus.packetBytes || durationOf(packet) !== opus.packetMs)
      return undefined;
    packets.push(packet);
    at += length;
  }
  return packets.length === 0 ? undefined : packets;
}

/** Milliseconds of a frame by the configuration number of a packet: RFC 6716, section 3.1. */
const silkMs = [10, 20, 40, 60];
const hybridMs = [10, 20];
const celtMs = [2.5, 5, 10, 20];

/** Milliseconds of audio that a packet declares. */
function durationOf(packet: Uint8Array): number | undefined {
  const [first, second] = packet;
  if (first === undefined) return undefined;
  const config = first >> 3;
  const frameMs =
    config < 12 ? silkMs[config % 4]! : config < 16 ? hybridMs[config % 2]! : celtMs[config % 4]!;
  const code = first & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : (second ?? 0) & 63;
  return frameMs * frames;
}

/** Samples that a decoder returns before the audio begins: the look-ahead of the encoder, 6.5 ms. */
export const preSkip = (sampleRate: number) => (sampleRate * 6.5) / 1000;

/** Samples of a packet. */
export const packetSamples = (sampleRate: number) => (sampleRate * opus.packetMs) / 1000;

export const packetsPerFrame = audioFrame.milliseconds / opus.packetMs;
