import type { RuntimeEvent } from '@session-launch/contract/runtime/protocol';
import { fits, oneOf, optional, type Shape, text, within } from '../core/shape.ts';
import * as wire from '../wire.ts';

const utterance = within(0, 65_535);
const ms = within(0, 86_400_000);
const engine = { kind: text, name: optional(text) };
const phrase = { text, locale: text };

/** The fields that the SDK requires, per event type. Events of other types are passed on unchecked. */
const shapes: Record<string, Shape> = {
  ready: {
    resumeTicket: text,
    audio: { output: { sampleRate: within(8000, 48_000) } },
    engines: { mind: engine, speech: engine, secondarySpeech: optional(engine), hearing: engine },
    limits: { heartbeatSeconds: within(1, 3600) },
  },
  mode: { mode: oneOf('listening', 'thinking', 'speaking') },
  message: {
    id: text,
    role: oneOf('user', 'character'),
    characterId: optional(text),
    status: oneOf('partial', 'final'),
    text,
    spans: optional([phrase]),
  },
  utterance: { utterance, characterId: text, locale: text, text, speech: text },
  cues: {
    utterance,
    cues: [{ 0: ms, 1: text }],
    words: optional([{ 0: ms, 1: ms, 2: ms }]),
  },
  suggestions: { items: [phrase] },
  tool: { name: text, status: oneOf('running', 'done', 'failed') },
  notice: { code: text, secondsLeft: ms },
  error: { code: text, message: text },
  ended: { reason: text },
};
const event = { type: text, seq: optional(within(1, 2 ** 53)) };

/** Parses a message of the runtime: returns an event, an audio frame as received, or undefined if malformed. Never throws. */
export function readMessage(data: string | ArrayBuffer): RuntimeEvent | ArrayBuffer | undefined {
  if (typeof data !== 'string')
    return data.byteLength >= wire.audioFrameHeaderBytes &&
      new Uint8Array(data)[wire.audioFrameKindAt] === wire.audioFrameKindsCharacter
      ? data
      : undefined;
  try {
    const found = JSON.parse(data);
    return fits(found, event) && fits(found, Object.hasOwn(shapes, found.type) ? shapes[found.type]! : {})
      ? found
      : undefined;
  } catch {
    return undefined;
  }
}
