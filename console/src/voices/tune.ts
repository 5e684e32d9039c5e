/** Samples in a frame of the sample that is moved as a whole: 32 ms at 16 kHz, some periods of a voice. */
const frameSize = 512;
const hop = frameSize / 2;
/** Samples by which a frame may be moved so that its waves continue those of the frame before. */
const tolerance = 160;

const fade = Float32Array.from(
  { length: frameSize },
  (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / frameSize),
);

/** Changes the pitch and the speed of a sample. Both are factors; 1 keeps it as it is. */
export function tuned(samples: Float32Array, pitch: number, rate: number): Float32Array<ArrayBuffer> {
  return stretched(pitch === 1 ? samples : resampled(samples, pitch), pitch / rate);
}

/** Plays faster by a factor, at a higher pitch. Interpolates linearly. */
function resampled(samples: Float32Array, factor: number): Float32Array {
  return Float32Array.from({ length: Math.floor(samples.length / factor) }, (_, n) => {
    const at = n * factor;
    const [before, part] = [Math.floor(at), at % 1];
    return (samples[before] ?? 0) * (1 - part) + (samples[before + 1] ?? 0) * part;
  });
}

/** Makes a sample longer by a factor at the same pitch: waveform-similarity overlap-add (WSOLA). */
function stretched(samples: Float32Array, factor: number): Float32Array<ArrayBuffer> {
  if (factor === 1) return Float32Array.from(samples);
  const longer = new Float32Array(Math.round(samples.length * factor));
  let next = 0;
  for (let to = 0; to < longer.length; to += hop) {
    const from = to === 0 ? 0 : mostSimilar(samples, Math.round(to / factor), next);
    // At the beginning there is no frame before that would fade out.
    for (let n = 0; n < frameSize && to + n < longer.length; n++)
      longer[to + n]! += (samples[from + n] ?? 0) * (to === 0 && n < hop ? 1 : fade[n]!);
    next = from + hop;
  }
  return longer;
}

/** The position near `wanted` whose frame is most like the one at `next`. */
function mostSimilar(samples: Float32Array, wanted: number, next: number): number {
  let [best, highest] = [wanted, Number.NEGATIVE_INFINITY];
  for (let from = Math.max(0, wanted - tolerance); from <= wanted + tolerance; from++) {
    let likeness = 0;
    for (let n = 0; n < frameSize; n++) likeness += (samples[from + n] ?? 0) * (samples[next + n] ?? 0);
    if (likeness > highest) [best, highest] = [from, likeness];
  }
  return best;
}
