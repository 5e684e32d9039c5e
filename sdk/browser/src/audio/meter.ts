export interface Meter {
  /** 0 to 1. */
  level(): number;
  close(): void;
}

/** How loud a stream is. */
export function meterOf(audio: AudioContext, stream: MediaStream): Meter {
  const source = audio.createMediaStreamSource(stream);
  const analyser = analyserOf(audio);
  source.connect(analyser);
  return { level: () => loudness(analyser), close: () => source.disconnect() };
}

export function analyserOf(audio: AudioContext): AnalyserNode {
  const analyser = audio.createAnalyser();
  analyser.fftSize = 512;
  return analyser;
}

/** Speech at a usual loudness is about one half. */
export function loudness(analyser: AnalyserNode): number {
  const samples = new Float32Array(analyser.fftSize);
  analyser.getFloatTimeDomainData(samples);
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.min(1, Math.sqrt(sum / samples.length) * 4);
}
