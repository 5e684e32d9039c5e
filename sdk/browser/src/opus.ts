// Loaded only by browsers that have WebCodecs: translates Opus frames of the runtime to PCM frames, and the microphone's PCM frames to Opus.
import { writePcm } from './audio/pcm.ts';
import * as wire from './wire.ts';

const header = wire.audioFrameHeaderBytes;
/** The rate at which browsers decode Opus. */
const decodedRate = 48_000;
const packetUs = wire.opusPacketMs * 1000;
const packetSamples = (wire.audioFrameInputSampleRate * wire.opusPacketMs) / 1000;

const decoding: AudioDecoderConfig = { codec: 'opus', sampleRate: decodedRate, numberOfChannels: 1 };
const encoding = {
  codec: 'opus',
  sampleRate: wire.audioFrameInputSampleRate,
  numberOfChannels: 1,
  bitrate: wire.opusBitsPerSecond,
  opus: { application: 'voip', signal: 'voice', frameDuration: packetUs },
} as AudioEncoderConfig;

type Deliver = (frame: ArrayBuffer) => void;
/** The formats in `ready`. */
interface Formats {
  output: { sampleRate: number; preSkip?: number | undefined };
  /** Absent in `ready` of other runtimes. */
  input?: { format: string };
}

/** Plays frames of the runtime, and sends frames of the microphone. */
export interface Frames {
  play: Deliver;
  send: Deliver;
}

export interface Opus {
  /** The formats for `hello`. */
  formats: { output: string[]; input: string[] };
  /** Translates the frames of a connection from and to PCM. Frames of the runtime that hold PCM are played as they are. */
  translated(formats: Formats, frames: Frames): Frames;
}

/** Returns `undefined` if the browser can neither encode nor decode Opus. */
export async function openOpus(): Promise<Opus | undefined> {
  const [plays, records] = await Promise.all([
    isSupported(() => AudioDecoder.isConfigSupported(decoding)),
    isSupported(() => AudioEncoder.isConfigSupported(encoding)),
  ]);
  if (!plays && !records) return undefined;
  const list = (hasOpus: boolean) => (hasOpus ? ['opus', 'pcm16'] : ['pcm16']);
  return {
    formats: { output: list(plays), input: list(records) },
    translated: ({ output, input }, { play, send }) => ({
      play: player(output, play),
      send: input?.format === 'opus' ? recorder(send) : send,
    }),
  };
}

function player(output: Formats['output'], deliver: Deliver): Deliver {
  let decoder: Decoder | undefined;
  return (frame) => {
    const view = new DataView(frame);
    const flags = view.getUint8(wire.audioFrameFlagsAt);
    const id = view.getUint16(wire.audioFrameUtteranceAt, true);
    if (!(flags & wire.audioFrameFlagsOpus)) deliver(frame);
    else {
      if (decoder?.id !== id) {
        // The last samples of an utterance may be decoded after the first ones of the next.
        const before = decoder?.done ?? Promise.resolve();
        decoder?.abandon();
        decoder = new Decoder(id, output, (pcm) => void before.then(() => deliver(pcm)), before);
      }
      decoder.push(view);
    }
  };
}

/** Frames of 40 ms begin at the offset 0 whenever the microphone is turned on. */
function recorder(deliver: Deliver): Deliver {
  let encoder: Encoder | undefined;
  return (frame) => {
    const isFirst = new DataView(frame).getUint32(wire.audioFrameOffsetAt, true) === 0;
    if (isFirst || !encoder) {
      encoder?.close();
      encoder = new Encoder(deliver);
    }
    encoder.push(frame);
  };
}

async function isSupported(check: () => Promise<{ supported?: boolean }>): Promise<boolean> {
  try {
    return (await check()).supported === true;
  } catch {
    return false;
  }
}

/** Decodes one utterance. */
class Decoder {
  readonly id: number;
  /** Resolves when this utterance and those before it were delivered. */
  readonly done: Promise<unknown>;
  #ended!: () => void;
  readonly #output: Formats['output'];
  readonly #deliver: Deliver;
  readonly #decoder: AudioDecoder;
  /** Decoded samples that are still to be dropped: the delay of the codec. */
  #skip: number;
  /** The samples of the last packet: how many of them count is known only when the next frame has arrived. */
  #held = new Float32Array(0);
  #delivered = 0;
  #packets = 0;
  #isEnding = false;
  #isOver = false;

  constructor(id: number, output: Formats['output'], deliver: Deliver, before: Promise<unknown>) {
    this.id = id;
    this.done = Promise.all([
      before,
      new Promise<void>((resolve) => {
        this.#ended = resolve;
      }),
    ]);
    this.#output = output;
    this.#deliver = deliver;
    this.#skip = this.#decoded(output.preSkip ?? 0);
    this.#decoder = new AudioDecoder({
      output: (data) => this.#take(data),
      error: () => this.#finish(0),
    });
    this.#decoder.configure(decoding);
  }

  push(frame: DataView): void {
    if (this.#isOver || this.#isEnding) return;
    try {
      for (let at = header; at < frame.byteLength; ) {
        const length = frame.getUint16(at, true);
        const data = new Uint8Array(frame.buffer, at + 2, length);
        const timestamp = this.#packets++ * packetUs;
        this.#decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp, data }));
        at += 2 + length;
      }
      if (!(frame.getUint8(wire.audioFrameFlagsAt) & wire.audioFrameFlagsLast)) return;
      this.#isEnding = true;
      const samples = this.#decoded(frame.getUint32(wire.audioFrameOffsetAt, true));
      // Rejects if the decoder has failed or was closed.
      this.#decoder.flush().then(
        () => this.#finish(samples - this.#delivered),
        () => this.#finish(0),
      );
    } catch {
      this.#finish(0);
    }
  }

  /** Another utterance begins. One that has not ended was interrupted. */
  abandon(): void {
    if (!this.#isEnding) this.close();
  }

  close(): void {
    this.#isOver = true;
    this.#ended();
    if (this.#decoder.state !== 'closed') this.#decoder.close();
  }

  #decoded(samples: number): number {
    return Math.round((samples * decodedRate) / this.#output.sampleRate);
  }

  #take(data: AudioData): void {
    const samples = new Float32Array(data.numberOfFrames);
    data.copyTo(samples, { planeIndex: 0, format: 'f32-planar' });
    data.close();
    if (this.#isOver) return;
    this.#send(this.#held, false);
    this.#held = samples.subarray(Math.min(samples.length, this.#skip));
    this.#skip -= samples.length - this.#held.length;
  }

  /** Delivers the rest, of which `count` samples count. */
  #finish(count: number): void {
    if (this.#isOver) return;
    this.#send(this.#held.subarray(0, Math.max(0, count)), true);
    this.close();
  }

  #send(samples: Float32Array, isLast: boolean): void {
    if (samples.length === 0 && !isLast) return;
    this.#delivered += samples.length;
    const frame = new DataView(new ArrayBuffer(header + samples.length * 2));
    frame.setUint8(wire.audioFrameKindAt, wire.audioFrameKindsCharacter);
    // The flag stays set: it stands for the sample rate.
    frame.setUint8(
      wire.audioFrameFlagsAt,
      wire.audioFrameFlagsOpus | (isLast ? wire.audioFrameFlagsLast : 0),
    );
    frame.setUint16(wire.audioFrameUtteranceAt, this.id, true);
    writePcm(samples, frame, header);
    this.#deliver(frame.buffer as ArrayBuffer);
  }
}

/** Encodes the microphone from one press or unmuting to the next. */
class Encoder {
  readonly #deliver: Deliver;
  readonly #encoder: AudioEncoder;
  /** Packets that do not fill a frame yet. */
  #packets: Uint8Array[] = [];
  #sent = 0;
  #hasFailed = false;

  constructor(deliver: Deliver) {
    this.#deliver = deliver;
    this.#encoder = new AudioEncoder({
      output: (chunk) => {
        const packet = new Uint8Array(chunk.byteLength);
        chunk.copyTo(packet);
        this.#packets.push(packet);
        if (this.#packets.length * wire.opusPacketMs >= wire.audioFrameMilliseconds) this.#send();
      },
      error: () => {
        this.#hasFailed = true;
      },
    });
    this.#encoder.configure(encoding);
  }

  push(frame: ArrayBuffer): void {
    // The runtime accepts PCM on every connection.
    if (this.#hasFailed) {
      this.#deliver(frame);
      return;
    }
    const samples = new Int16Array(frame, header);
    const offset = new DataView(frame).getUint32(wire.audioFrameOffsetAt, true);
    const { sampleRate } = encoding;
    const data = new AudioData({
      format: 's16',
      sampleRate,
      numberOfFrames: samples.length,
      numberOfChannels: 1,
      timestamp: (offset / sampleRate) * 1e6,
      data: samples,
    });
    this.#encoder.encode(data);
    data.close();
  }

  close(): void {
    if (this.#encoder.state !== 'closed') this.#encoder.close();
  }

  #send(): void {
    const packets = this.#packets.splice(0);
    const size = packets.reduce((sum, { length }) => sum + 2 + length, header);
    const frame = new DataView(new ArrayBuffer(size));
    frame.setUint8(wire.audioFrameKindAt, wire.audioFrameKindsUser);
    frame.setUint8(wire.audioFrameFlagsAt, wire.audioFrameFlagsOpus);
    frame.setUint32(wire.audioFrameOffsetAt, this.#sent * packetSamples, true);
    let at = header;
    for (const packet of packets) {
      frame.setUint16(at, packet.length, true);
      new Uint8Array(frame.buffer).set(packet, at + 2);
      at += 2 + packet.length;
    }
    this.#sent += packets.length;
    this.#deliver(frame.buffer as ArrayBuffer);
  }
}
