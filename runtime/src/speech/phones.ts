import type { Cue, Viseme } from '@session-launch/contract/runtime/protocol';

/** A phone of the engine, and its end in milliseconds. */
export interface Phone {
  name: string;
  endMs: number;
}

/** Phones per viseme; of diphthongs, per pair of visemes. */
const shapes: [Viseme[], string][] = [
  [['sil'], 'pau'],
  [['PP'], 'p b m'],
  [['FF'], 'f v'],
  [['TH'], 'th dh'],
  [['DD'], 't d'],
  [['kk'], 'k g hh'],
  [['CH'], 'ch jh sh zh'],
  [['SS'], 's z'],
  [['nn'], 'n l ng'],
  [['RR'], 'r er'],
  [['aa'], 'aa ae ah ax'],
  [['E'], 'eh'],
  [['I'], 'ih iy y'],
  [['O'], 'ao'],
  [['U'], 'uh uw w'],
  [['aa', 'I'], 'ay'],
  [['aa', 'U'], 'aw'],
  [['E', 'I'], 'ey'],
  [['O', 'U'], 'ow'],
  [['O', 'I'], 'oy'],
];
const shapeOf = new Map(
  shapes.flatMap(([shape, phones]) => phones.split(' ').map((phone) => [phone, shape])),
);
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
    const [first, second] = shapeOf.get(name) ?? ['aa'];
    add(start, first!);
    if (second !== undefined) add(start + (endMs - start) * glide, second);
    start = endMs;
  }
  add(start, 'sil');
  return cues;
}
