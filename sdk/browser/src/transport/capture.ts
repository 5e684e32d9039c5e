import { joined, writePcm } from '../audio/pcm.ts';
import { Resampler } from '../audio/resampler.ts';
import * as wire from '../wire.ts';

const sampleRate = wire.audioFrameInputSampleRate;
const headerBytes = wire.audioFrameHeaderBytes;
const frameSamples = (sampleRate * wire.audioFrameMilliseconds) / 1000;

/** Sends the microphone's audio as PCM16, in frames of 40 ms. */
export class Capture {
  readonly #send: (frame: ArrayBuffer) => void;
  readonly #source: MediaStreamAudioSourceNode;
  readonly #node: AudioWorkletNode;
  readonly #resampler: Resampler;
  #waiting = new Float32Array(0);
  #offset = 0;

  constructor(audio: AudioContext, track: MediaStreamTrack, send: (frame: ArrayBuffer) => void) {
    this.#send = send;
    this.#resampler = new Resampler(audio.sampleRate, sampleRate);
    this.#source = audio.createMediaStreamSource(new MediaStream([track]));
    this.#node = new AudioWorkletNode(audio, 'session-capture', { numberOfOutputs: 0 });
    this.#node.port.onmessage = ({ data }: MessageEvent<Float32Array>) => this.#heard(data);
    this.#source.connect(this.#node);
  }

  close(): void {
    this.#node.port.postMessage('stop');
    this.#node.port.onmessage = null;
    this.#source.disconnect();
  }

  #heard(samples: Float32Array): void {
    const all = joined(this.#waiting, this.#resampler.push(samples));
    let at = 0;
    for (; at + frameSamples <= all.length; at += frameSamples) {
      const frame = new DataView(new ArrayBuffer(headerBytes + frameSamples * 2));
      frame.setUint8(wire.audioFrameKindAt, wire.audioFrameKindsUser);
      frame.setUint32(wire.audioFrameOffsetAt, this.#offset, true);
      writePcm(all.subarray(at, at + frameSamples), frame, headerBytes);
      this.#offset += frameSamples;
      this.#send(frame.buffer as ArrayBuffer);
    }
    this.#waiting = all.slice(at);
  }
}
