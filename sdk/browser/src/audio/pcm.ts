/** Concatenates two arrays. */
export function joined(first: Float32Array, second: Float32Array): Float32Array<ArrayBuffer> {
  const all = new Float32Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** Converts little-endian PCM16 to samples from -1 to 1. */
export function toFloats(bytes: ArrayBuffer, offset: number): Float32Array {
  const view = new DataView(bytes, offset);
  const floats = new Float32Array(Math.floor(view.byteLength / 2));
  for (let i = 0; i < floats.length; i++) floats[i] = view.getInt16(i * 2, true) / 32_768;
  return floats;
}

/** Writes samples to a frame as little-endian PCM16, starting at `offset`. */
export function writePcm(floats: Float32Array, frame: DataView, offset: number): void {
  for (let i = 0; i < floats.length; i++) {
    const clipped = Math.max(-1, Math.min(1, floats[i]!));
    frame.setInt16(offset + i * 2, Math.round(clipped * 32_767), true);
  }
}
