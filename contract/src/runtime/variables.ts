/** The format of a value. */
export type VariableForm =
  | { kind: 'integer'; min: number; max: number }
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'url'; example: string }
  | { kind: 'websocket' }
  | { kind: 'list' }
  | { kind: 'host' }
  | { kind: 'secret' }
  | { kind: 'text' };

export interface RuntimeVariable {
  name: string;
  form: VariableForm;
  default?: string;
  /** Description of the behaviour when the variable is unset and has no default. */
  otherwise?: string;
  /** Markdown. */
  meaning: string;
}

const engine = (name: string, values: readonly string[], byDefault: string, meaning: string) =>
  ({ name, form: { kind: 'choice', values }, default: byDefault, meaning }) as const;
const address = (name: string, example: string, what: string) =>
  ({
    name,
    form: { kind: 'url', example },
    meaning: `Base address of the OpenAI-compatible ${what}, such as \`${example}\`.`,
  }) as const;
const named = (name: string, meaning: string) => ({ name, form: { kind: 'text' }, meaning }) as const;
const secret = (name: string, what: string) =>
  ({
    name,
    form: { kind: 'secret' },
    meaning: `API key of the ${what}, sent as a bearer token, if it requires one.`,
  }) as const;

/** Environment variables that the runtime reads. The service validates them at its start and documents them. */
export const runtimeVariables = {
  host: {
    name: 'RUNTIME_HOST',
    form: { kind: 'host' },
    default: '127.0.0.1',
    meaning: 'Address that a standalone runtime (`session-launch runtime`) binds to.',
  },
  port: {
    name: 'RUNTIME_PORT',
    form: { kind: 'integer', min: 0, max: 65_535 },
    default: '8082',
    meaning: 'Port of a standalone runtime. `0` selects a free port and prints it.',
  },
  maxSessions: {
    name: 'RUNTIME_MAX_SESSIONS',
    form: { kind: 'integer', min: 1, max: 10_000 },
    default: '50',
    meaning:
      'Maximum concurrent sessions of one runtime, 1 to 10000. Further clients are closed with code 1013.',
  },
  resumeSeconds: {
    name: 'RESUME_SECONDS',
    form: { kind: 'integer', min: 0, max: 600 },
    default: '30',
    meaning: 'Seconds in which a client can resume its session after losing the connection, 0 to 600.',
  },
  jwksUrl: {
    name: 'JWKS_URL',
    form: { kind: 'url', example: 'http://127.0.0.1:8080/.well-known/jwks.json' },
    otherwise: '`PUBLIC_URL/.well-known/jwks.json`',
    meaning:
      'Address from which a standalone runtime reads the public keys of session tokens. Used only if `PUBLIC_URL` is set.',
  },
  mind: engine(
    'MIND',
    ['script', 'openai', 'realtime'],
    'script',
    'Source of what characters say: `script` (the script in the project file), `openai` (a language model) or `realtime` (a model that hears and speaks; `HEARING` then only matters if it is `off`, and `SPEECH` speaks only the sentence that reports a failure).',
  ),
  mindUrl: address('MIND_URL', 'http://127.0.0.1:11434/v1', 'language model'),
  mindModel: named('MIND_MODEL', 'Name of the language model.'),
  mindApiKey: secret('MIND_API_KEY', 'language model'),
  speech: engine(
    'SPEECH',
    ['flite', 'openai', 'captions'],
    'flite',
    'Speech synthesis: `flite` (the included English voices, and eSpeak NG where it is installed), `openai` (a speech service) or `captions` (text only).',
  ),
  espeak: {
    ...named(
      'ESPEAK',
      'Program that speaks Spanish, French, German, Italian, Portuguese, Dutch and Polish if `SPEECH` is `flite`: a name that is looked for in `PATH`, or a path. Without it, or with `off`, the browser speaks these languages.',
    ),
    default: 'espeak-ng',
  },
  speechUrl: address('SPEECH_URL', 'http://127.0.0.1:8000/v1', 'speech service'),
  speechModel: named('SPEECH_MODEL', 'Name of the speech model.'),
  speechVoice: named('SPEECH_VOICE', 'Voice of characters without a voice in the project file.'),
  speechApiKey: secret('SPEECH_API_KEY', 'speech service'),
  hearing: {
    name: 'HEARING',
    form: { kind: 'choice', values: ['local', 'page', 'openai', 'off'] },
    otherwise: '`local` if its packages are installed, otherwise `page`',
    meaning:
      'Speech recognition: `local` (the included model, for English; other languages are left to the browser), `page` (the browser, if it supports it), `openai` (a transcription service) or `off`.',
  },
  hearingUrl: address('HEARING_URL', 'http://127.0.0.1:8000/v1', 'transcription service'),
  hearingModel: named('HEARING_MODEL', 'Name of the transcription model.'),
  hearingApiKey: secret('HEARING_API_KEY', 'transcription service'),
  realtimeUrl: {
    name: 'REALTIME_URL',
    form: { kind: 'websocket' },
    meaning:
      'Address of the realtime model, such as `wss://api.openai.com/v1/realtime`. The runtime adds `model` to its query.',
  },
  realtimeModel: named('REALTIME_MODEL', 'Name of the realtime model; in Azure, of the deployment.'),
  realtimeApiKey: {
    ...secret('REALTIME_API_KEY', 'realtime model'),
    meaning:
      'API key of the realtime model, if it requires one. Sent as a bearer token, to hosts below `azure.com` in the header `api-key`.',
  },
  realtimeVoice: {
    ...named('REALTIME_VOICE', 'Voice of the realtime model.'),
    otherwise: 'the default of the model',
  },
  realtimeTranscriptionModel: {
    ...named('REALTIME_TRANSCRIPTION_MODEL', 'Model that transcribes what users say to the realtime model.'),
    default: 'gpt-4o-mini-transcribe',
  },
  realtimeModels: {
    name: 'REALTIME_MODELS',
    form: { kind: 'list' },
    otherwise: 'none',
    meaning:
      'Models that an experience may select with `mind.realtime.model` instead of `REALTIME_MODEL`, separated by commas. Others are ignored, because the operator pays for them.',
  },
  realtimeVoices: {
    name: 'REALTIME_VOICES',
    form: { kind: 'list' },
    otherwise: 'none',
    meaning:
      'Voices that an experience may select with `mind.realtime.voice` instead of `REALTIME_VOICE`, separated by commas. Others are ignored.',
  },
} as const satisfies Record<string, RuntimeVariable>;
