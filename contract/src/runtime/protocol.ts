import type { Static, TSchema } from 'typebox';
import { optional } from '../fields.ts';
import { endReasons } from '../session.ts';
import Type from '../type.ts';
import { audioFormats, bounds, protocolVersion } from '../wire.ts';

export { audioFormats, audioFrame, bounds, closeCodes, opus, protocolVersion, subprotocol } from '../wire.ts';

/** Mouth shapes, with the names that are common in renderers (the Oculus viseme set). */
export const visemes = [
  'sil',
  'PP',
  'FF',
  'TH',
  'DD',
  'kk',
  'CH',
  'SS',
  'nn',
  'RR',
  'aa',
  'E',
  'I',
  'O',
  'U',
] as const;
export type Viseme = (typeof visemes)[number];

/** Codes of `error` events. Fatal ones are sent directly before the socket is closed. */
export const runtimeErrorCodes = [
  'INVALID_MESSAGE',
  'SPEECH_INPUT_OFF',
  'MIND_FAILED',
  'SPEECH_FAILED',
  'HEARING_FAILED',
  'PROTOCOL',
  'TOO_FAST',
  'TOO_BIG',
  'TOKEN_INVALID',
  'ORIGIN_DIFFERS',
  'TOKEN_USED',
  'SESSION_ENDED',
  'TOO_MANY_SESSIONS',
  'FULL',
  'DRAINING',
  'FAULT',
] as const;
export type RuntimeErrorCode = (typeof runtimeErrorCodes)[number];

const text = Type.String({ minLength: 1, maxLength: bounds.textCharacters });
const messageId = Type.String({ minLength: 1, maxLength: 64 });
const locale = Type.String({ minLength: 1, maxLength: 64 });
const locales = Type.Array(locale, { maxItems: 500 });
const utterance = Type.Integer({ minimum: 0, maximum: 65_535 });
/** In the order of preference. Unknown formats are ignored. */
const formats = Type.Array(Type.String({ maxLength: 20 }), { maxItems: 10 });
const ms = Type.Number({ minimum: 0, maximum: 86_400_000 });

const message = <T extends string, P extends Record<string, TSchema>>(type: T, fields: P) =>
  Type.Object({ type: Type.Literal(type), ...fields });

export const helloSchema = message('hello', {
  protocol: Type.Literal(protocolVersion),
  token: optional.string({ minLength: 1, maxLength: 8000 }),
  resume: Type.Optional(
    Type.Object({
      ticket: Type.String({ minLength: 1, maxLength: 256 }),
      lastSeq: Type.Integer({ minimum: 0 }),
    }),
  ),
  client: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 100 }),
    version: Type.String({ minLength: 1, maxLength: 50 }),
  }),
  /** Locales for which the page has speech synthesis and speech recognition. */
  speech: Type.Optional(Type.Object({ synthesis: locales, recognition: locales })),
  /** Formats that the client can play and record. Without it, both are `pcm16`. Sent on every connection. */
  audio: Type.Optional(Type.Object({ output: Type.Optional(formats), input: Type.Optional(formats) })),
});

/** Client messages by `type`. Unlisted fields are ignored. */
export const clientMessages = {
  hello: helloSchema,
  text: message('text', { id: messageId, text, locale: Type.Optional(locale) }),
  transcript: message('transcript', {
    id: messageId,
    text: Type.String({ maxLength: bounds.textCharacters }),
    status: Type.Enum(['interim', 'final']),
    locale: Type.Optional(locale),
  }),
  'audio.start': message('audio.start', {}),
  'audio.end': message('audio.end', {}),
  interrupt: message('interrupt', {}),
  played: message('played', { utterance, ms, done: optional.boolean() }),
  ping: message('ping', { t: Type.Number() }),
  bye: message('bye', {}),
} as const;

export type Hello = Static<typeof helloSchema>;
export type ClientMessage = {
  [K in keyof typeof clientMessages]: Static<(typeof clientMessages)[K]>;
}[keyof typeof clientMessages];

const event = <T extends string, P extends Record<string, TSchema>>(type: T, fields: P) =>
  Type.Object(
    { type: Type.Literal(type), seq: Type.Integer({ minimum: 1 }), ...fields },
    { additionalProperties: false },
  );

const characterId = Type.String();
const sampleRate = Type.Integer({ minimum: 8000, maximum: 48_000 });
const format = Type.Enum(audioFormats);
const speechKind = Type.Enum(['server', 'client', 'captions']);
const engineOfSpeech = Type.Object({ kind: speechKind, name: Type.String() });
const span = Type.Object({ locale, text: Type.String() });

/** Runtime events by `type`. Clients ignore unknown types and fields. */
export const runtimeEvents = {
  ready: event('ready', {
    protocol: Type.Literal(protocolVersion),
    sessionId: Type.String(),
    resumeTicket: Type.String(),
    resumed: Type.Boolean(),
    audio: Type.Object({
      input: Type.Object({ format, sampleRate }),
      output: Type.Object({
        format,
        sampleRate,
        /** Samples, at `sampleRate`, that an Opus decoder returns before the audio of an utterance begins. */
        preSkip: Type.Optional(Type.Integer({ minimum: 0 })),
      }),
    }),
    engines: Type.Object({
      mind: Type.Object({ kind: Type.Enum(['script', 'model']), name: Type.String() }),
      speech: engineOfSpeech,
      /** For the second language of a dual session. */
      secondarySpeech: Type.Optional(engineOfSpeech),
      hearing: Type.Object({
        kind: Type.Enum(['server', 'client', 'none']),
        name: optional.string(),
      }),
    }),
    characters: Type.Array(Type.Object({ characterId, locale, secondaryLocale: Type.Optional(locale) })),
    limits: Type.Object({
      maxSeconds: Type.Integer(),
      idleSeconds: Type.Integer(),
      heartbeatSeconds: Type.Integer(),
    }),
  }),
  mode: event('mode', {
    mode: Type.Enum(['listening', 'thinking', 'speaking']),
    characterId: Type.Optional(characterId),
  }),
  message: event('message', {
    id: messageId,
    role: Type.Enum(['user', 'character']),
    characterId: Type.Optional(characterId),
    status: Type.Enum(['partial', 'final']),
    text: Type.String(),
    spans: Type.Optional(Type.Array(span)),
    interrupted: Type.Optional(Type.Literal(true)),
    heard: optional.string(),
  }),
  utterance: event('utterance', {
    utterance,
    messageId,
    characterId,
    locale,
    text: Type.String(),
    speech: speechKind,
  }),
  cues: event('cues', {
    utterance,
    source: Type.Enum(['engine', 'words', 'text', 'level']),
    /** Further `cues` of this utterance follow: it is sent while its speech arrives. */
    more: Type.Optional(Type.Literal(true)),
    cues: Type.Array(Type.Tuple([ms, Type.Enum(visemes)])),
    words: Type.Optional(Type.Array(Type.Tuple([ms, Type.Integer(), Type.Integer()]))),
  }),
  'utterance.end': event('utterance.end', {
    utterance,
    durationMs: ms,
    reason: Type.Enum(['done', 'interrupted']),
  }),
  interrupted: event('interrupted', { utterance, atMs: ms }),
  suggestions: event('suggestions', { items: Type.Array(Type.Object({ text: Type.String(), locale })) }),
  /** A character calls a tool: `running`, then `done` or `failed`. */
  tool: event('tool', { name: Type.String(), status: Type.Enum(['running', 'done', 'failed']) }),
  metrics: event('metrics', {
    turn: Type.Integer(),
    hearingMs: Type.Optional(ms),
    mindMs: ms,
    speechMs: ms,
    totalMs: ms,
  }),
  notice: event('notice', {
    code: Type.Enum(['ENDING_SOON', 'RESTARTING']),
    secondsLeft: Type.Integer({ minimum: 0 }),
  }),
  pong: event('pong', { t: Type.Number() }),
  error: event('error', {
    code: Type.Enum(runtimeErrorCodes),
    message: Type.String(),
    fatal: Type.Boolean(),
    /** The id or the type of the message that caused the error. */
    re: optional.string(),
  }),
  ended: event('ended', { reason: Type.Enum(endReasons), seconds: Type.Integer({ minimum: 0 }) }),
} as const;

export type RuntimeEvent = {
  [K in keyof typeof runtimeEvents]: Static<(typeof runtimeEvents)[K]>;
}[keyof typeof runtimeEvents];

type WithoutSeq<T> = T extends unknown ? Omit<T, 'seq'> : never;
/** An event before it gets its sequence number. */
export type UnnumberedEvent = WithoutSeq<RuntimeEvent>;

export type Engines = Extract<RuntimeEvent, { type: 'ready' }>['engines'];
export type AudioFormat = (typeof audioFormats)[number];
export type Mode = Extract<RuntimeEvent, { type: 'mode' }>['mode'];
export type Cue = [ms: number, viseme: Viseme];
/** Start of a word in milliseconds, and its start and end offsets in the text of the utterance. */
export type WordTime = [ms: number, start: number, end: number];
export type CueSource = Extract<RuntimeEvent, { type: 'cues' }>['source'];
