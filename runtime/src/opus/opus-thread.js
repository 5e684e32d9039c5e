// Encodes and decodes Opus. Requests are answered in their order. A stream is an encoder or a decoder with an id.
import { parentPort } from 'node:worker_threads';
import { Application, createDecoder, createEncoder, loadLibopus, Signal } from 'libopus-wasm';

/** Measured on speech at 24 kbit/s: higher values take twice as much CPU time and sound the same. */
const complexity = 5;

/** @type {Map<number, Encoding | Decoding>} */
const streams = new Map();

class Encoding {
  /** @param {import('libopus-wasm').OpusEncoderHandle} encoder */
  constructor(encoder) {
    this.encoder = encoder;
    this.rest = new Int16Array(0);
    /** Samples that were passed to the encoder. */
    this.encoded = 0;
    this.samples = 0;
  }

  /** @param {{ samples: Int16Array, isEnd: boolean }} request */
  run({ samples, isEnd }) {
    const { frameSize } = this.encoder;
    this.samples += samples.length;
    let all = new Int16Array(this.rest.length + samples.length);
    all.set(this.rest);
    all.set(samples, this.rest.length);
    if (isEnd) {
      // Silence that flushes the encoder and fills the last packet.
      const whole = Math.ceil((this.samples + this.encoder.getLookahead()) / frameSize) * frameSize;
      const padded = new Int16Array(whole - this.encoded);
      padded.set(all);
      all = padded;
    }
    const packets = [];
    let at = 0;
    for (; at + frameSize <= all.length; at += frameSize)
      packets.push(this.encoder.encode(all.subarray(at, at + frameSize)));
    this.encoded += at;
    this.rest = all.slice(at);
    return { packets };
  }

  free() {
    this.encoder.free();
  }
}

class Decoding {
  /** @param {import('libopus-wasm').OpusDecoderHandle} decoder */
  constructor(decoder) {
    this.decoder = decoder;
  }

  /** @param {{ packets: Uint8Array[] }} request */
  run({ packets }) {
    const parts = packets.map((packet) => this.decoder.decode(packet));
    const samples = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      samples.set(part, at);
      at += part.length;
    }
    return { samples };
  }

  free() {
    this.decoder.free();
  }
}

/** @param {{ id: number, encode?: { sampleRate: 16000 | 24000, bitrate: number, packetMs: number }, decode?: { sampleRate: 16000 } }} request */
async function open({ id, encode, decode }) {
  if (encode !== undefined) {
    const { sampleRate, bitrate, packetMs } = encode;
    const frameSize = (sampleRate * packetMs) / 1000;
    const voice = { application: Application.Voip, signal: Signal.Voice, channels: 1, complexity };
    streams.set(id, new Encoding(await createEncoder({ ...voice, sampleRate, bitrate, frameSize })));
  } else if (decode !== undefined)
    streams.set(id, new Decoding(await createDecoder({ ...decode, channels: 1 })));
}

async function answer(request) {
  const { id } = request;
  await open(request);
  const stream = streams.get(id);
  if (request.isClosed || stream === undefined) {
    stream?.free();
    streams.delete(id);
    return;
  }
  try {
    parentPort?.postMessage({ id, ...stream.run(request) });
  } catch (error) {
    parentPort?.postMessage({ id, failure: String(error) });
  }
}

let last = loadLibopus().then(() => parentPort?.postMessage({ isReady: true }));
parentPort?.on('message', (request) => {
  last = last.then(() => answer(request));
});
