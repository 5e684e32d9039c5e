import { optional } from '../fields.ts';
import { modes, speechInputModes } from '../session.ts';
import { transport } from '../transports/transport.ts';
import Type from '../type.ts';
import { axis, closed, defaults, free, shortText } from './fields.ts';
import { mind } from './mind.ts';
import { patterns } from './patterns.ts';
import { voice } from './voice.ts';

const languages = Type.Object(
  {
    dual: optional.boolean({
      description:
        'Whether the experience works with two languages at once, such as one spoken and one learnt.',
      default: defaults.languages.dual,
      examples: [true],
    }),
    default: optional.string({
      description: 'The language of a session if nothing else determines it, as a BCP 47 tag.',
      default: defaults.languages.default,
      examples: ['en', 'pt-PT'],
    }),
    conversation: axis('The language of the conversation.', 'en'),
    paired: axis('The second language of a dual experience.', 'pt-PT'),
  },
  {
    ...closed,
    description: 'The languages of sessions and how they are chosen.',
    default: { ...defaults.languages },
    examples: [{ dual: true, default: 'en', conversation: 'match', paired: { fixed: 'pt-PT' } }],
  },
);

/** Maximum size of `avatar.recipe` as JSON, in characters. */
export const maxRecipeLength = 4096;

const character = Type.Object(
  {
    characterId: Type.String({
      pattern: patterns.characterId,
      description: 'Name of the character inside this experience: 1 to 64 letters, digits, "_" or "-".',
      examples: ['ines'],
    }),
    name: shortText('Display name of the character.', 'Inês'),
    voice: Type.Optional(voice),
    avatar: free({
      description:
        'Avatar settings. Any fields; passed to the runtime unchanged except `recipe`, and left out of voice-only sessions.',
      examples: [{ avatarId: 'ines', modelPath: '/avatars/ines/model.glb' }],
      properties: {
        avatarId: {
          description:
            'Folder below /avatars with the pictures from which the included player draws the face.',
          examples: ['ines'],
        },
        modelPath: {
          description: 'Path of a 3D model, for players that draw one.',
          examples: ['/avatars/ines/model.glb'],
        },
        recipe: {
          description: `The choices from which the console made the face, so that it can change them. Never part of a manifest. At most ${maxRecipeLength} characters as JSON.`,
          examples: [{ maker: 1, head: 'round', hair: 'bob' }],
        },
      },
    }),
  },
  {
    ...closed,
    description: 'A character of the experience.',
    examples: [{ characterId: 'ines', name: 'Inês' }],
  },
);

const seconds = (description: string, byDefault: number) =>
  optional.integer({ minimum: 1, maximum: 86_400, description, default: byDefault, examples: [byDefault] });

const sessionLimits = Type.Object(
  {
    maxSeconds: seconds('Maximum duration of a session in seconds.', defaults.sessionLimits.maxSeconds),
    idleSeconds: seconds(
      'Seconds without speech or text after which a session ends.',
      defaults.sessionLimits.idleSeconds,
    ),
  },
  {
    ...closed,
    description: 'Time limits of sessions.',
    default: { ...defaults.sessionLimits },
    examples: [{ maxSeconds: 900, idleSeconds: 120 }],
  },
);

export const runtime = Type.Object(
  {
    mode: optional.oneOf(modes, {
      description: 'Whether the characters converse or present, unless the launch requests otherwise.',
      default: defaults.mode,
      examples: ['conversation'],
    }),
    speechInputMode: optional.oneOf(speechInputModes, {
      description:
        'Whether the microphone is used automatically, on demand or never, unless the launch requests otherwise.',
      default: defaults.speechInputMode,
      examples: ['auto'],
    }),
    languages: Type.Optional(languages),
    characters: Type.Array(character, {
      minItems: 1,
      description: 'The characters; at least one.',
      examples: [[{ characterId: 'ines', name: 'Inês', voice: { voiceId: 'ines-pt' } }]],
    }),
    location: free({
      description:
        'Location settings. Any fields; passed to the runtime unchanged, except in voice-only sessions.',
      examples: [{ locationId: 'cafe', assets: ['/locations/cafe/wide.svg'] }],
      properties: {
        locationId: { description: 'Name of the location, for the runtime and players.', examples: ['cafe'] },
        assets: {
          description: 'Paths of files. The included player shows the first picture as the background.',
          examples: [['/locations/cafe/wide.svg']],
        },
      },
    }),
    transport,
    limits: Type.Optional(sessionLimits),
    mind: Type.Optional(mind),
  },
  {
    ...closed,
    description:
      'The part that a revision freezes. Applying a file with a changed runtime creates a new revision.',
    examples: [
      {
        characters: [{ characterId: 'ines', name: 'Inês' }],
        transport: { type: 'websocket', url: 'wss://runtime.example.com/session' },
      },
    ],
  },
);
