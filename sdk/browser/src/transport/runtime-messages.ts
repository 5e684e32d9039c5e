import type { RuntimeEvent } from '@session-launch/contract/runtime/protocol';

// biome-ignore lint/suspicious/noExplicitAny: checks look into values of any type
type Check = (value: any) => boolean;

const text: Check = (value) => typeof value === 'string';
const within =
  (least: number, most: number): Check =>
  (value) =>
    Number.isFinite(value) && value >= least && value <= most;
const oneOf =
  (...words: string[]): Check =>
  (value) =>
    words.includes(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
/** An object whose fields pass their checks, or an array whose items do. Other fields are ignored. */
const shape = (fields: Record<string, Check> | Check[]): Check => {
  const checks = Object.entries(fields);
  return (value) => value instanceof Object && checks.every(([name, check]) => check(value[name]));
};

export const audioHeaderBytes = 8;
const characterKind = 1;

const utterance = within(0, 65_535);
const ms = within(0, 86_400_000);
const engine = shape({ kind: text, name: optional(text) });
const phrase = shape({ text, locale: text });

/** The fields that the SDK relies on. Events of other types are only passed on. */
const shapes: Record<string, Check> = {
  ready: shape({
    resumeTicket: text,
    audio: shape({ output: shape({ sampleRate: within(8000, 48_000) }) }),
    engines: shape({ mind: engine, speech: engine, hearing: engine }),
    limits: shape({ heartbeatSeconds: within(1, 3600) }),
  }),
  mode: shape({ mode: oneOf('listening', 'thinking', 'speaking') }),
  message: shape({
    id: text,
    role: oneOf('user', 'character'),
    characterId: optional(text),
    status: oneOf('partial', 'final'),
    text,
    spans: optional(list(phrase)),
  }),
  utterance: shape({ utterance, characterId: text, locale: text, text, speech: text }),
  cues: shape({
    utterance,
    cues: list(shape([ms, text])),
    words: optional(list(shape([ms, ms, ms]))),
  }),
  suggestions: shape({ items: list(phrase) }),
  notice: shape({ code: text, secondsLeft: ms }),
  error: shape({ code: text, message: text }),
  ended: shape({ reason: text }),
};
const event = shape({ type: text, seq: optional((value) => Number.isSafeInteger(value) && value > 0) });

/** Reads what a runtime sent: an event, or an audio frame as it is. Returns undefined for anything malformed; never throws. */
export function readMessage(data: string | ArrayBuffer): RuntimeEvent | ArrayBuffer | undefined {
  if (typeof data !== 'string')
    return data.byteLength >= audioHeaderBytes && new Uint8Array(data)[0] === characterKind ? data : undefined;
  try {
    const found = JSON.parse(data);
    const check = event(found) && (Object.hasOwn(shapes, found.type) ? shapes[found.type]! : () => true);
    return check && check(found) ? found : undefined;
  } catch {
    return undefined;
  }
}
