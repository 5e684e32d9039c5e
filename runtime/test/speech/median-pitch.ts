/** Frames of 40 ms, every 20 ms. */
const frameSeconds = 0.04;
const [lowest, highest] = [50, 400];
/** Minimum normalised autocorrelation of a voiced frame. */
const voiced = 0.5;

/** The median fundamental frequency of the voiced frames of a sound, in hertz, by autocorrelation. */
export function medianPitch(audio: Int16Array, sampleRate: number): number {
  const size = Math.round(frameSeconds * sampleRate);
  const pitches: number[] = [];
  for (let start = 0; start + 2 * size <= audio.length; start += size / 2) {
    const pitch = pitchAt(audio, start, size, sampleRate);
    if (pitch !== undefined) pitches.push(pitch);
  }
  return pitches.sort((a, b) => a - b)[Math.floor(pitches.length / 2)] ?? Number.NaN;
}

function pitchAt(audio: Int16Array, start: number, size: number, sampleRate: number): number | undefined {
  const [shortest, longest] = [Math.floor(sampleRate / highest), Math.ceil(sampleRate / lowest)];
  const similarity = Array.from({ length: longest + 1 }, (_, lag) =>
    lag < shortest ? 0 : correlation(audio, start, size, lag),
  );
  const best = Math.max(...similarity);
  if (best < voiced) return undefined;
  // Multiples of the period also have a high autocorrelation: the first peak close to the maximum is the period.
  const lag = similarity.findIndex(
    (value, at) =>
      value >= 0.9 * best && value >= (similarity[at - 1] ?? 0) && value >= (similarity[at + 1] ?? 0),
  );
  return lag <= 0 ? undefined : sampleRate / lag;
}

function correlation(audio: Int16Array, start: number, size: number, lag: number): number {
  let [both, first, second] = [0, 0, 0];
  for (let at = start; at < start + size; at++) {
    const [a, b] = [audio[at]!, audio[at + lag] ?? 0];
    both += a * b;
    first += a * a;
    second += b * b;
  }
  // Quiet frames have no pitch.
  if (first < size * 200 * 200) return 0;
  return both / Math.sqrt(first * second || 1);
}
