export interface Meter {
  /** Level from 0 to 1. */
  level(): number;
  close(): void;
}

/** Measures the loudness of a stream. */
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

/** RMS of the current samples times 4, at most 1. Speech of normal loudness gives about 0.5. */
export function loudness(analyser: AnalyserNode): number {
  const samples = new Float32Array(analyser.fftSize);
  analyser.getFloatTimeDomainData(samples);
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.min(1, Math.sqrt(sum / samples.length) * 4);
}
