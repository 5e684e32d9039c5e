import type { Cue, Viseme } from '@session-launch/contract/runtime/protocol';

/** A phone of the engine, and its end in milliseconds. */
export interface Phone {
  name: string;
  endMs: number;
}

const shapes: Record<string, Viseme | readonly [Viseme, Viseme]> = {
  pau: 'sil',
  p: 'PP',
  b: 'PP',
  m: 'PP',
  f: 'FF',
  v: 'FF',
  th: 'TH',
  dh: 'TH',
  t: 'DD',
  d: 'DD',
  k: 'kk',
  g: 'kk',
  hh: 'kk',
  ch: 'CH',
  jh: 'CH',
  sh: 'CH',
  zh: 'CH',
  s: 'SS',
  z: 'SS',
  n: 'nn',
  l: 'nn',
  ng: 'nn',
  r: 'RR',
  er: 'RR',
  aa: 'aa',
  ae: 'aa',
  ah: 'aa',
  ax: 'aa',
  eh: 'E',
  ih: 'I',
  iy: 'I',
  y: 'I',
  ao: 'O',
  uh: 'U',
  uw: 'U',
  w: 'U',
  ay: ['aa', 'I'],
  aw: ['aa', 'U'],
  ey: ['E', 'I'],
  ow: ['O', 'U'],
  oy: ['O', 'I'],
};
/** Share of a diphthong's duration after which its second viseme starts. */
const glide = 0.6;

/** Parses the phones that the engine prints: `g:0.280 uh:0.324 …`, in seconds. The times restart at zero with each phrase. */
export function readPhones(printed: string): Phone[] {
  const phones: Phone[] = [];
  let [base, last] = [0, 0];
  for (const [, name = '', seconds] of printed.matchAll(/(?<=^|\s)([a-z]+):(\d+\.\d+)(?=\s|$)/g)) {
    const end = Number(seconds) * 1000;
    if (end < last) base += last;
    last = end;
    phones.push({ name, endMs: base + end });
  }
  return phones;
}

/** Visemes at the times of the phones, and a closed mouth at the end. */
export function cuesOf(phones: readonly Phone[]): Cue[] {
  const cues: Cue[] = [];
  const add = (ms: number, viseme: Viseme) => {
    if (cues.at(-1)?.[1] !== viseme) cues.push([Math.round(ms), viseme]);
  };
  let start = 0;
  for (const { name, endMs } of phones) {
    const shape = shapes[name] ?? 'aa';
    if (typeof shape === 'string') add(start, shape);
    else {
      add(start, shape[0]);
      add(start + (endMs - start) * glide, shape[1]);
    }
    start = endMs;
  }
  add(start, 'sil');
  return cues;
}
