/** What a value looks like. */
export type VariableForm =
  | { kind: 'integer'; min: number; max: number }
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'url'; example: string }
  | { kind: 'host' }
  | { kind: 'secret' }
  | { kind: 'text' };

export interface RuntimeVariable {
  name: string;
  form: VariableForm;
  default?: string;
  /** Without a default: what holds when it is unset, in words for people. */
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
    meaning: `Bearer key of the ${what}, where it wants one.`,
  }) as const;

/** The variables of the runtime, which it reads itself. The service checks them at its start and describes them. */
export const runtimeVariables = {
  host: {
    name: 'RUNTIME_HOST',
    form: { kind: 'host' },
    default: '127.0.0.1',
    meaning: 'Address that a runtime of its own (`session-launch runtime`) listens on.',
  },
  port: {
    name: 'RUNTIME_PORT',
    form: { kind: 'integer', min: 0, max: 65_535 },
    default: '8082',
    meaning: 'Port of a runtime of its own. `0` picks a free one and prints it.',
  },
  maxSessions: {
    name: 'RUNTIME_MAX_SESSIONS',
    form: { kind: 'integer', min: 1, max: 10_000 },
    default: '50',
    meaning: 'Sessions that one runtime takes at once; further clients are sent away with close code 1013.',
  },
  resumeSeconds: {
    name: 'RESUME_SECONDS',
    form: { kind: 'integer', min: 0, max: 600 },
    default: '30',
    meaning: 'How long a session waits for a client whose connection broke.',
  },
  jwksUrl: {
    name: 'JWKS_URL',
    form: { kind: 'url', example: 'http://127.0.0.1:8080/.well-known/jwks.json' },
    otherwise: 'below `PUBLIC_URL`',
    meaning:
      'Where a runtime of its own that knows the `PUBLIC_URL` of its service reads the keys of session tokens, if not there.',
  },
  mind: engine(
    'MIND',
    ['script', 'openai'],
    'script',
    'Who thinks: the script in the project file, or a language model.',
  ),
  mindUrl: address('MIND_URL', 'http://127.0.0.1:11434/v1', 'language model'),
  mindModel: named('MIND_MODEL', 'Name of the language model.'),
  mindApiKey: secret('MIND_API_KEY', 'language model'),
  speech: engine(
    'SPEECH',
    ['flite', 'openai', 'captions'],
    'flite',
    'Who speaks: the voice that comes along (English), a speech service, or nobody, with captions only.',
  ),
  speechUrl: address('SPEECH_URL', 'http://127.0.0.1:8000/v1', 'speech service'),
  speechModel: named('SPEECH_MODEL', 'Name of the speech model.'),
  speechVoice: named('SPEECH_VOICE', 'Voice of characters that name none.'),
  speechApiKey: secret('SPEECH_API_KEY', 'speech service'),
  hearing: engine(
    'HEARING',
    ['page', 'openai', 'off'],
    'page',
    'Who listens: the browser where it can, a transcription service, or nobody.',
  ),
  hearingUrl: address('HEARING_URL', 'http://127.0.0.1:8000/v1', 'transcription service'),
  hearingModel: named('HEARING_MODEL', 'Name of the transcription model.'),
  hearingApiKey: secret('HEARING_API_KEY', 'transcription service'),
} as const satisfies Record<string, RuntimeVariable>;
