import type { RuntimeEvent } from '@session-launch/contract/runtime/protocol';
import { type Check, list, oneOf, optional, shape, text, within } from '../core/shape.ts';

export const audioHeaderBytes = 8;
const characterKind = 1;

const utterance = within(0, 65_535);
const ms = within(0, 86_400_000);
const engine = shape({ kind: text, name: optional(text) });
const phrase = shape({ text, locale: text });

/** The fields that the SDK relies on, by type. Events of other types are only passed on. */
const shapes = new Map<string, Check>(
  Object.entries({
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
  }),
);
const event = shape({ type: text, seq: optional((value) => Number.isSafeInteger(value) && value > 0) });

/** Reads what a runtime sent: an event, or an audio frame as it is. Returns undefined for anything malformed; never throws. */
export function readMessage(data: string | ArrayBuffer): RuntimeEvent | ArrayBuffer | undefined {
  if (typeof data !== 'string')
    return data.byteLength >= audioHeaderBytes && new Uint8Array(data)[0] === characterKind
      ? data
      : undefined;
  try {
    const found = JSON.parse(data);
    return event(found) && (shapes.get(found.type)?.(found) ?? true) ? found : undefined;
  } catch {
    return undefined;
  }
}
