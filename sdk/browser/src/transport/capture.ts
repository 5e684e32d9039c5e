import { joined, writePcm } from '../audio/pcm.ts';
import { Resampler } from '../audio/resampler.ts';
import * as wire from '../wire.ts';

const frameSamples = (wire.audioFrameInputSampleRate * wire.audioFrameMilliseconds) / 1000;

/** Sends the microphone's audio as PCM16, in frames of 40 ms. Returns a function that stops it. */
export function capture(
  audio: AudioContext,
  track: MediaStreamTrack,
  send: (frame: ArrayBuffer) => void,
): () => void {
  const resampler = new Resampler(audio.sampleRate, wire.audioFrameInputSampleRate);
  const source = audio.createMediaStreamSource(new MediaStream([track]));
  const node = new AudioWorkletNode(audio, 'session-capture', { numberOfOutputs: 0 });
  let waiting = new Float32Array(0);
  let offset = 0;
  node.port.onmessage = ({ data }: MessageEvent<Float32Array>) => {
    waiting = joined(waiting, resampler.push(data));
    for (; waiting.length >= frameSamples; waiting = waiting.slice(frameSamples)) {
      const frame = new DataView(new ArrayBuffer(wire.audioFrameHeaderBytes + frameSamples * 2));
      frame.setUint8(wire.audioFrameKindAt, wire.audioFrameKindsUser);
      frame.setUint32(wire.audioFrameOffsetAt, offset, true);
      writePcm(waiting.subarray(0, frameSamples), frame, wire.audioFrameHeaderBytes);
      offset += frameSamples;
      send(frame.buffer as ArrayBuffer);
    }
  };
  source.connect(node);
  return () => {
    node.port.postMessage('stop');
    node.port.onmessage = null;
    source.disconnect();
  };
}
