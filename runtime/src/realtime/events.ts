import type { TokenKind } from '../conversation/partner.ts';

/** Tokens of one response, as reported by the model. Absent fields are 0. */
type TokenUsage = Record<TokenKind, number>;

/** A call of a tool that the model asks for. */
export interface FunctionCall {
  callId: string;
  name: string;
  /** JSON, as the model has written it. */
  arguments: string;
}

/** The events of the protocol that this runtime uses, with the fields that it reads. */
export type ServerEvent =
  | { type: 'session.updated' }
  | { type: 'response.created'; responseId: string }
  | { type: 'audio'; responseId: string; itemId: string; audio: Buffer }
  | { type: 'transcript'; responseId: string; itemId: string; text: string }
  | { type: 'call'; responseId: string; call: FunctionCall }
  | {
      type: 'response.done';
      responseId: string;
      status: string;
      code: string;
      usage: TokenUsage | undefined;
      calls: FunctionCall[];
    }
  | { type: 'committed'; itemId: string }
  | { type: 'heard'; itemId: string; text: string; status: 'partial' | 'final' }
  | { type: 'not heard'; itemId: string }
  | { type: 'error'; eventId: string | undefined; code: string; message: string }
  | { type: 'other' };

type Fields = Record<string, unknown>;

/** Parses an event. Returns `undefined` if it is not one, or lacks a field that is used. Unknown types are `other`. */
export function readEvent(json: string): ServerEvent | undefined {
  let event: unknown;
  try {
    event = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!isObject(event) || typeof event.type !== 'string') return undefined;
  const reader = readers[event.type];
  try {
    return reader === undefined ? { type: 'other' } : reader(event);
  } catch (error) {
    if (error instanceof WrongField) return undefined;
    throw error;
  }
}

class WrongField extends Error {}

const readers: Record<string, (event: Fields) => ServerEvent> = {
  'session.updated': () => ({ type: 'session.updated' }),
  'response.created': ({ response }) => ({
    type: 'response.created',
    responseId: text(object(response).id),
  }),
  'response.output_audio.delta': (event) => ({ type: 'audio', ...part(event), audio: bytes(event.delta) }),
  'response.output_audio_transcript.delta': (event) => ({
    ...{ type: 'transcript', ...part(event) },
    text: text(event.delta),
  }),
  'response.output_item.done': ({ response_id, item }) => {
    const call = callIn(item);
    return call === undefined ? { type: 'other' } : { type: 'call', responseId: text(response_id), call };
  },
  'response.done': ({ response }) => {
    const { id, status, status_details: details, usage, output } = object(response);
    const { error, reason } = isObject(details) ? details : {};
    const code = isObject(error) ? error.code : reason;
    return {
      ...{ type: 'response.done', responseId: text(id), status: text(status), code: codeOf(code) },
      usage: isObject(usage) ? usageOf(usage) : undefined,
      calls: Array.isArray(output) ? output.flatMap((item) => callIn(item) ?? []) : [],
    };
  },
  'input_audio_buffer.committed': ({ item_id }) => ({ type: 'committed', itemId: text(item_id) }),
  'conversation.item.input_audio_transcription.delta': ({ item_id, delta }) => ({
    ...{ type: 'heard', itemId: text(item_id), text: text(delta), status: 'partial' },
  }),
  'conversation.item.input_audio_transcription.completed': ({ item_id, transcript }) => ({
    ...{ type: 'heard', itemId: text(item_id), text: text(transcript), status: 'final' },
  }),
  'conversation.item.input_audio_transcription.failed': ({ item_id }) => ({
    type: 'not heard',
    itemId: text(item_id),
  }),
  error: ({ error }) => {
    const { event_id: eventId, code, message } = object(error);
    return {
      ...{ type: 'error', eventId: typeof eventId === 'string' ? eventId : undefined, code: codeOf(code) },
      message: typeof message === 'string' ? message : '',
    };
  },
};

/** The call in an item of a response. The arguments of an incomplete one are cut off. */
function callIn(item: unknown): FunctionCall | undefined {
  if (!isObject(item) || item.type !== 'function_call' || item.status === 'incomplete') return undefined;
  return { callId: text(item.call_id), name: text(item.name), arguments: text(item.arguments) };
}

function part({ response_id, item_id }: Fields) {
  return { responseId: text(response_id), itemId: text(item_id) };
}

function usageOf({ input_token_details: input, output_token_details: output }: Fields): TokenUsage {
  const [read, written] = [isObject(input) ? input : {}, isObject(output) ? output : {}];
  return {
    inputText: count(read.text_tokens),
    inputAudio: count(read.audio_tokens),
    inputCached: count(read.cached_tokens),
    outputText: count(written.text_tokens),
    outputAudio: count(written.audio_tokens),
  };
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const count = (value: unknown) =>
  typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : 0;

/** A code of the model for logs. Anything that is not a short identifier is replaced, because it may quote the user. */
const codeOf = (value: unknown) =>
  typeof value === 'string' && /^\w{1,64}$/.test(value) ? value : 'unknown';

function object(value: unknown): Fields {
  if (!isObject(value)) throw new WrongField();
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new WrongField();
  return value;
}

function bytes(value: unknown): Buffer {
  const base64 = text(value);
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) throw new WrongField();
  return Buffer.from(base64, 'base64');
}
