/** Pseudo-random numbers from 0 to 1 (mulberry32). The same seed gives the same sequence. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One valid event of every type that a runtime sends. */
export const wellFormed = {
  ready: {
    type: 'ready',
    seq: 1,
    protocol: 1,
    sessionId: 'ses_1',
    resumeTicket: 'ticket',
    resumed: false,
    audio: {
      input: { format: 'pcm16', sampleRate: 16_000 },
      output: { format: 'pcm16', sampleRate: 16_000 },
    },
    engines: {
      mind: { kind: 'model', name: 'a model' },
      speech: { kind: 'server', name: 'a voice' },
      hearing: { kind: 'none' },
    },
    characters: [{ characterId: 'maren', locale: 'en' }],
    limits: { maxSeconds: 900, idleSeconds: 120, heartbeatSeconds: 15 },
  },
  mode: { type: 'mode', seq: 2, mode: 'speaking', characterId: 'maren' },
  message: {
    type: 'message',
    seq: 3,
    id: 'm1',
    role: 'character',
    characterId: 'maren',
    status: 'final',
    text: 'Good morning',
    spans: [
      { locale: 'en', text: 'Good' },
      { locale: 'pt', text: 'dia' },
    ],
  },
  utterance: {
    type: 'utterance',
    seq: 4,
    utterance: 1,
    messageId: 'm1',
    characterId: 'maren',
    locale: 'en',
    text: 'Good morning',
    speech: 'server',
  },
  cues: {
    type: 'cues',
    seq: 5,
    utterance: 1,
    source: 'engine',
    cues: [
      [0, 'sil'],
      [40, 'aa'],
      [90, 'sil'],
    ],
    words: [[0, 0, 4]],
  },
  end: { type: 'utterance.end', seq: 6, utterance: 1, durationMs: 90, reason: 'done' },
  interrupted: { type: 'interrupted', seq: 7, utterance: 1, atMs: 40 },
  suggestions: { type: 'suggestions', seq: 8, items: [{ text: 'And you?', locale: 'en' }] },
  metrics: { type: 'metrics', seq: 9, turn: 1, mindMs: 1, speechMs: 1, totalMs: 2 },
  notice: { type: 'notice', seq: 10, code: 'ENDING_SOON', secondsLeft: 30 },
  pong: { type: 'pong', seq: 11, t: 1 },
  error: { type: 'error', seq: 12, code: 'MIND_FAILED', message: 'No answer.', fatal: false },
};

const values: unknown[] = [
  ...[null, true, false, 0, -1, 0.5, 65_536, 2 ** 53, 1e308, -1e308, '', 'x', 'constructor', '__proto__'],
  ...[[], {}, [null], [[]], [{}], { toString: 1 }, { valueOf: null, toString: null }, { length: 1e9 }],
  ...['\u0000', '\ud800', 'x'.repeat(5000), '-_-', [['0', 'aa']], [[0, 'constructor']], [[1e308, 'aa']]],
];
const texts = [
  '',
  ' ',
  '{',
  'null',
  'true',
  '1',
  '"x"',
  '[]',
  '{}',
  '[[[[',
  '\u0000',
  '{"type":"mode"',
  'NaN',
];
const types = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'ready',
  '',
  'later',
  null,
  1,
  {},
  [],
];

/** Replaces or removes one value in a copy of `value`, at any depth. */
function damaged(value: object, random: () => number): object {
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const copy = structuredClone(value);
  let place = copy as Record<string, unknown>;
  for (;;) {
    const name = pick(Object.keys(place));
    const inner = place[name];
    const hasMore = typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0;
    if (hasMore && random() < 0.7) place = inner as Record<string, unknown>;
    else if (random() < 0.25) {
      delete place[name];
      return copy;
    } else {
      place[name] = pick(values);
      return copy;
    }
  }
}

/** A message or an audio frame as a faulty runtime might send it. Some are valid by chance. */
export function hostile(random: () => number): string | Uint8Array {
  const kind = random();
  if (kind < 0.25) {
    const size = kind < 0.15 ? Math.floor(random() * 12) : Math.floor(random() * 4000);
    const frame = Uint8Array.from({ length: size }, () => Math.floor(random() * 256));
    // Most frames belong to the utterance that is being played.
    if (size > 4 && random() < 0.7) frame.set([1, random() < 0.2 ? 1 : 0, 1, 0]);
    return frame;
  }
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  if (kind < 0.3) return pick(texts);
  const event = pick(Object.values(wellFormed));
  if (kind < 0.35) return JSON.stringify({ ...event, type: pick(types) });
  const whole = JSON.stringify(
    kind < 0.85 ? damaged(event, random) : damaged(damaged(event, random), random),
  );
  return kind > 0.97 ? whole.slice(0, Math.floor(random() * whole.length)) : whole;
}
