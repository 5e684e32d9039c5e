import { modes, speechInputModes } from '../session.ts';
import { websocketTransport } from '../transports/websocket.ts';
import Type from '../type.ts';
import { axis, closed, defaults, free, shortText } from './fields.ts';
import { mind } from './mind.ts';
import { patterns } from './patterns.ts';
import { voice } from './voice.ts';

const languages = Type.Object(
  {
    dual: Type.Optional(
      Type.Boolean({
        description:
          'Whether the experience works with two languages at once, such as one spoken and one learnt.',
        default: defaults.languages.dual,
        examples: [true],
      }),
    ),
    default: Type.Optional(
      Type.String({
        description: 'The language, as a BCP 47 tag, of a session for which nothing else decides it.',
        default: defaults.languages.default,
        examples: ['en', 'pt-PT'],
      }),
    ),
    conversation: Type.Optional(axis('The language that the session is held in.', 'en')),
    paired: Type.Optional(axis('The second language of a dual experience.', 'pt-PT')),
  },
  {
    ...closed,
    description: 'Which languages sessions use, and who decides.',
    default: { ...defaults.languages },
    examples: [{ dual: true, default: 'en', conversation: 'match', paired: { fixed: 'pt-PT' } }],
  },
);

const character = Type.Object(
  {
    characterId: Type.String({
      pattern: patterns.characterId,
      description: 'Name of the character inside this experience: 1 to 64 letters, digits, "_" or "-".',
      examples: ['ines'],
    }),
    name: shortText('What people call the character.', 'Inês'),
    voice: Type.Optional(voice),
    avatar: Type.Optional(
      free({
        description:
          'How the character looks. Any fields; they reach the runtime as written, except in voice-only sessions.',
        examples: [{ avatarId: 'ines', modelPath: '/avatars/ines/model.glb' }],
      }),
    ),
  },
  {
    ...closed,
    description: 'Someone who speaks in the experience.',
    examples: [{ characterId: 'ines', name: 'Inês' }],
  },
);

const seconds = (description: string, byDefault: number) =>
  Type.Optional(
    Type.Integer({ minimum: 1, maximum: 86_400, description, default: byDefault, examples: [byDefault] }),
  );

const sessionLimits = Type.Object(
  {
    maxSeconds: seconds('A session ends when it has lasted so long.', defaults.sessionLimits.maxSeconds),
    idleSeconds: seconds(
      'A session ends when nobody has said anything for so long.',
      defaults.sessionLimits.idleSeconds,
    ),
  },
  {
    ...closed,
    description: 'How long sessions may last, in seconds.',
    default: { ...defaults.sessionLimits },
    examples: [{ maxSeconds: 900, idleSeconds: 120 }],
  },
);

export const runtime = Type.Object(
  {
    mode: Type.Optional(
      Type.Enum([...modes], {
        description: 'Whether the characters converse or present, unless a launch asks for the other.',
        default: defaults.mode,
        examples: ['conversation'],
      }),
    ),
    speechInputMode: Type.Optional(
      Type.Enum([...speechInputModes], {
        description:
          'Whether listening starts by itself, on demand or never, unless a launch says otherwise.',
        default: defaults.speechInputMode,
        examples: ['auto'],
      }),
    ),
    languages: Type.Optional(languages),
    characters: Type.Array(character, {
      minItems: 1,
      description: 'Who takes part: at least one character.',
      examples: [[{ characterId: 'ines', name: 'Inês', voice: { voiceId: 'ines-pt' } }]],
    }),
    location: Type.Optional(
      free({
        description:
          'The scene around the characters. Any fields; they reach the runtime as written, except in voice-only sessions.',
        examples: [{ locationId: 'cafe', assets: ['/locations/cafe/wide.svg'] }],
      }),
    ),
    transport: websocketTransport,
    limits: Type.Optional(sessionLimits),
    mind: Type.Optional(mind),
  },
  {
    ...closed,
    description: 'What a revision freezes: applying a file with a changed runtime makes a new revision.',
    examples: [
      {
        characters: [{ characterId: 'ines', name: 'Inês' }],
        transport: { type: 'websocket', url: 'wss://runtime.example.com/session' },
      },
    ],
  },
);
