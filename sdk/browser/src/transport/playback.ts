import { analyserOf, loudness } from '../audio/meter.ts';
import { toFloats } from '../audio/pcm.ts';
import { Resampler } from '../audio/resampler.ts';
import * as wire from '../wire.ts';

interface Progress {
  id: number;
  /** Position in the utterance, in samples at the rate of the AudioContext. */
  at: number;
  time: number;
  done: boolean;
}

interface Utterance {
  /** Created with the first frame. */
  resampler?: Resampler;
  /** Samples posted to the worklet. */
  sent: number;
  progress?: Progress;
}

/** Maximum milliseconds that the clock extrapolates beyond the last position from the worklet. */
const maxExtrapolationMs = 250;
/** Milliseconds without a position after which playback counts as stalled: the connection is slow or lost. */
const stallMs = 600;

/** Plays the runtime's audio frames in a worklet and tracks the playback position of each utterance. */
export class Playback {
  readonly #audio: AudioContext;
  readonly #sampleRate: number;
  readonly #progress: (utterance: number, ms: number, done: boolean) => void;
  readonly #gain: GainNode;
  readonly #analyser: AnalyserNode;
  readonly #node: AudioWorkletNode;
  readonly #utterances = new Map<number, Utterance>();

  /** Requires that the worklet module has been added to `audio`. */
  constructor(
    audio: AudioContext,
    sampleRate: number,
    progress: (utterance: number, ms: number, done: boolean) => void,
  ) {
    this.#audio = audio;
    this.#sampleRate = sampleRate;
    this.#progress = progress;
    this.#gain = audio.createGain();
    this.#analyser = analyserOf(audio);
    this.#node = new AudioWorkletNode(audio, 'session-playback', {
      numberOfInputs: 0,
      outputChannelCount: [1],
    });
    // Metered before the gain: renderers animate by the level, independent of the volume.
    this.#node.connect(this.#analyser);
    this.#node.connect(this.#gain).connect(audio.destination);
    this.#node.port.onmessage = ({ data }: MessageEvent<Progress>) => this.#onProgress(data);
  }

  begin(utterance: number): void {
    this.#utterances.set(utterance, { sent: 0 });
  }

  /** Queues a frame. Ignores frames of utterances that were dropped or never announced. */
  push(frame: ArrayBuffer): void {
    const header = new DataView(frame);
    const id = header.getUint16(wire.audioFrameUtteranceAt, true);
    const utterance = this.#utterances.get(id);
    if (!utterance || utterance.progress?.done) return;
    const flags = header.getUint8(wire.audioFrameFlagsAt);
    // Browsers decode Opus at 48 kHz.
    const rate = flags & wire.audioFrameFlagsOpus ? 48_000 : this.#sampleRate;
    utterance.resampler ??= new Resampler(rate, this.#audio.sampleRate);
    const { resampler } = utterance;
    this.#post(id, utterance, resampler.push(toFloats(frame, wire.audioFrameHeaderBytes)), false);
    if (flags & wire.audioFrameFlagsLast) this.#post(id, utterance, resampler.end(), true);
  }

  /** Playback position in milliseconds: negative before playback starts and while it stalls, NaN after it has ended. */
  clock(id: number): number {
    const utterance = this.#utterances.get(id);
    if (!utterance || utterance.progress?.done) return Number.NaN;
    if (!utterance.progress) return -1;
    const { at, time } = utterance.progress;
    const since = (this.#audio.currentTime - time) * 1000;
    if (since > stallMs) return -1;
    const latency = (this.#audio.outputLatency || this.#audio.baseLatency || 0) * 1000;
    return (at / this.#audio.sampleRate) * 1000 + Math.min(since, maxExtrapolationMs) - latency;
  }

  /** Drops an utterance whose duration has passed while audio was blocked. */
  skip(id: number): void {
    this.#node.port.postMessage({ id });
    this.#utterances.delete(id);
  }

  /** Stops playback immediately and drops all utterances. */
  drop(): void {
    this.#node.port.postMessage(null);
    this.#utterances.clear();
  }

  setVolume(volume: number): void {
    this.#gain.gain.setTargetAtTime(volume, this.#audio.currentTime, 0.015);
  }

  level(): number {
    return loudness(this.#analyser);
  }

  close(): void {
    this.drop();
    this.#node.port.postMessage('stop');
    this.#node.port.onmessage = null;
    this.#node.disconnect();
    this.#gain.disconnect();
  }

  #post(id: number, utterance: Utterance, samples: Float32Array, last: boolean): void {
    if (samples.length === 0 && !last) return;
    const from = utterance.sent;
    utterance.sent += samples.length;
    this.#node.port.postMessage({ id, from, samples, last }, [samples.buffer]);
  }

  #onProgress(progress: Progress): void {
    const utterance = this.#utterances.get(progress.id);
    if (!utterance) return;
    utterance.progress = progress;
    this.#progress(progress.id, (progress.at / this.#audio.sampleRate) * 1000, progress.done);
    if (progress.done) this.#utterances.delete(progress.id);
  }
}
