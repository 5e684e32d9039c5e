import type { Static } from 'typebox';
import { optional, timestamp } from './fields.ts';
import {
  livemode,
  locale,
  mode,
  processorId,
  revision,
  secondaryLocale,
  sessionId,
  sessionSchema,
  speechInputMode,
  speechOnly,
  userId,
} from './session.ts';
import Type from './type.ts';

const experience = Type.Object(
  {
    experienceId: Type.String({ description: 'Id of the experience.' }),
    slug: Type.String({ description: 'Slug at the time the revision was created.' }),
    title: Type.String({ description: 'Title at the time the revision was created.' }),
    revision,
  },
  { additionalProperties: true, description: 'The launched experience, as frozen in its revision.' },
);

const character = Type.Object(
  {
    characterId: Type.String({ description: 'Id of the character within the experience.' }),
    name: Type.String({ description: 'Display name of the character.' }),
    voice: optional.freeForm('Voice settings; their format is defined by the runtime.'),
    avatar: optional.freeForm(
      'Avatar settings; their format is defined by the runtime. Absent in voice-only sessions.',
    ),
  },
  { additionalProperties: true, description: 'A character that speaks in the session.' },
);

const player = Type.Object(
  {
    startButton: optional.freeForm('Start button settings, as sent in the mint request.'),
    closeButton: optional.freeForm('Close button settings, as sent in the mint request.'),
    returnUrl: optional.string({ description: 'The URL that the player opens when it closes.' }),
  },
  { additionalProperties: true, description: 'Player settings sent in the mint request.' },
);

export const sessionManifestSchema = Type.Object(
  {
    schemaVersion: Type.Integer({
      minimum: 1,
      description: 'Version of the manifest format. Reject versions you do not know.',
    }),
    sessionId,
    sessionToken: Type.String({
      description:
        'The credential of the session: a JWT signed with Ed25519. Keep it out of server-rendered HTML and out of logs.',
    }),
    expiresAt: timestamp('The client must connect before this time.'),
    livemode,
    experience,
    mode,
    speechInputMode,
    speechOnly,
    locale,
    secondaryLocale: Type.Optional(secondaryLocale),
    capabilities: Type.Array(Type.String(), {
      description:
        'Capabilities of the session: speech-output, speech-input, avatar, location. Ignore values you do not know.',
    }),
    characters: Type.Array(character, { description: 'The characters of the session.' }),
    location: optional.freeForm(
      'Location settings; their format is defined by the runtime. Absent if there is no location or the session is voice-only.',
    ),
    transport: Type.Object(
      {
        type: Type.String({
          description: 'Transport type: websocket or livekit. Reject types you do not know.',
        }),
        url: Type.String({
          description: 'URL to connect to: with the session token for websocket, with `token` for livekit.',
        }),
        token: optional.string({
          description:
            'Only for livekit: the token with which the client joins its room. A credential, like `sessionToken`.',
        }),
        roomName: optional.string({ description: 'Only for livekit: the room of the session.' }),
      },
      { additionalProperties: true, description: 'How the client reaches the runtime.' },
    ),
    limits: Type.Object(
      {
        maxSeconds: Type.Integer({ minimum: 1, description: 'Maximum duration of the session in seconds.' }),
        idleSeconds: Type.Integer({
          minimum: 1,
          description: 'Seconds without speech or text after which the session ends.',
        }),
      },
      { description: 'Time limits of the session.' },
    ),
    links: Type.Object(
      {
        leave: Type.String({
          description:
            'URL to which the client reports that it left: POST the session token as text/plain, for example with sendBeacon.',
          examples: ['https://launch.example.com/v1/sessions/ses_01kb2x7m9defgt4zq8s6w3n5vh/leave'],
        }),
      },
      { description: 'URLs for the client.' },
    ),
    player,
    user: Type.Optional(Type.Object({ userId }, { description: 'The user, if the mint request named one.' })),
    processorId: Type.Optional(processorId),
  },
  {
    $id: 'SessionManifest',
    additionalProperties: true,
    description:
      'Everything that a client SDK needs to run the session, including its token. New fields may be added; ignore fields you do not know.',
  },
);

export type SessionManifest = Static<typeof sessionManifestSchema>;

export const sessionLaunchSchema = Type.Object(
  { session: sessionSchema, launch: sessionManifestSchema },
  {
    $id: 'SessionLaunchResponse',
    description:
      'A launch: the stored session record, and the manifest for the client SDK. Only `launch` contains a credential.',
  },
);
