import type { Static } from 'typebox';
import { freeForm, timestamp } from './fields.ts';
import {
  livemode,
  locale,
  mode,
  processorId,
  revision,
  secondaryLocale,
  sessionId,
  speechInputMode,
  speechOnly,
  userId,
} from './session.ts';
import Type from './type.ts';

const experience = Type.Object(
  {
    experienceId: Type.String({ description: 'Id of the experience.' }),
    slug: Type.String({ description: 'Its slug when the revision was made.' }),
    title: Type.String({ description: 'Its title when the revision was made.' }),
    revision,
  },
  { additionalProperties: true, description: 'What was launched, as its revision froze it.' },
);

const character = Type.Object(
  {
    characterId: Type.String({ description: 'Name of the character inside the experience.' }),
    name: Type.String({ description: 'What people call the character.' }),
    voice: Type.Optional(freeForm('How the character sounds, in the words of the runtime.')),
    avatar: Type.Optional(
      freeForm(
        'How the character looks, in the words of the runtime. Absent when the session is voice only.',
      ),
    ),
  },
  { additionalProperties: true, description: 'Someone who speaks in the session.' },
);

const player = Type.Object(
  {
    startButton: Type.Optional(freeForm('Settings of the start button, as the mint brought them.')),
    closeButton: Type.Optional(freeForm('Settings of the close button, as the mint brought them.')),
    returnUrl: Type.Optional(Type.String({ description: 'Where the player leads when it closes.' })),
  },
  { additionalProperties: true, description: 'Settings of the player that the mint brought along.' },
);

export const sessionManifestSchema = Type.Object(
  {
    schemaVersion: Type.Integer({
      minimum: 1,
      description: 'Version of this shape. Refuse versions you do not know.',
    }),
    sessionId,
    sessionToken: Type.String({
      description:
        'The credential of the session: a JWT signed with Ed25519. Keep it out of server-rendered HTML and out of logs.',
    }),
    expiresAt: timestamp('The client has to connect before this time.'),
    livemode,
    experience,
    mode,
    speechInputMode,
    speechOnly,
    locale,
    secondaryLocale: Type.Optional(secondaryLocale),
    capabilities: Type.Array(Type.String(), {
      description:
        'The abilities of the session, out of speech-output, speech-input, avatar and location. Ignore those you do not know.',
    }),
    characters: Type.Array(character, { description: 'Who takes part.' }),
    location: Type.Optional(
      freeForm(
        'The scene, in the words of the runtime. Absent when there is none or the session is voice only.',
      ),
    ),
    transport: Type.Object(
      {
        type: Type.String({ description: 'How to connect: websocket today. Refuse types you do not know.' }),
        url: Type.String({ description: 'Where to connect with the session token.' }),
      },
      { additionalProperties: true, description: 'How the client reaches the runtime.' },
    ),
    limits: Type.Object(
      {
        maxSeconds: Type.Integer({ minimum: 1, description: 'The session ends when it has lasted so long.' }),
        idleSeconds: Type.Integer({
          minimum: 1,
          description: 'It ends when nobody has said anything for so long.',
        }),
      },
      { description: 'How long the session may last, in seconds.' },
    ),
    links: Type.Object(
      {
        leave: Type.String({
          description:
            'Where the client says that it has left: POST the session token as text/plain. A beacon can do that.',
          examples: ['https://launch.example.com/v1/sessions/ses_01kb2x7m9defgt4zq8s6w3n5vh/leave'],
        }),
      },
      { description: 'Addresses for the client.' },
    ),
    player,
    user: Type.Optional(
      Type.Object({ userId }, { description: 'Whose session it is, if the mint said so.' }),
    ),
    processorId: Type.Optional(processorId),
  },
  {
    $id: 'SessionManifest',
    additionalProperties: true,
    description:
      'Everything a client SDK needs to run the session, its credential included. New fields may appear; ignore those you do not know.',
  },
);

export type SessionManifest = Static<typeof sessionManifestSchema>;

export const sessionLaunchSchema = Type.Object(
  { session: Type.Ref('Session#'), launch: Type.Ref('SessionManifest#') },
  {
    $id: 'SessionLaunchResponse',
    description:
      'A launch: the session as the service keeps it, and the manifest to hand to the client SDK. Only launch holds a credential.',
  },
);
