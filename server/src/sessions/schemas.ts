import Type, { type Static } from 'typebox';
import { timestamp } from '../http/schemas.ts';

const sessionId = Type.String({
  pattern: '^ses_',
  description: 'Id of the session.',
  examples: ['ses_01kb2x7m9defgt4zq8s6w3n5vh'],
});
const mode = Type.Enum(['conversation', 'presenter'], { description: 'How the characters behave.' });
const speechInputMode = Type.Enum(['auto', 'manual', 'off'], { description: 'How speech is taken in.' });
const speechOnly = Type.Boolean({ description: 'True when the session is voice only.' });
const locale = Type.String({
  description: 'The language the conversation is held in, resolved, as a canonical BCP 47 tag.',
  examples: ['en-US'],
});
const secondaryLocale = Type.String({
  description: 'The paired language. Only sessions of dual experiences have it.',
  examples: ['es-MX'],
});
const livemode = Type.Boolean({
  description: 'False for sessions minted with a test key. Sessions from browsers are always live.',
});
const revision = Type.Integer({
  minimum: 1,
  description: 'The revision of the experience that the session is bound to.',
});
const userId = Type.String({ description: 'The user that the backend named when it minted the session.' });
const processorId = Type.String({
  description: 'The processor that the backend asked for when it minted the session.',
});

/** What a session shows to its owner: safe to log, without any credential. */
export const sessionSchema = Type.Object(
  {
    sessionId,
    projectId: Type.String({ description: 'The project the session belongs to.', examples: ['prj_demo'] }),
    experienceId: Type.String({
      description: 'The experience that was launched.',
      examples: ['exp_harbor_guide'],
    }),
    revision,
    status: Type.Enum(['created', 'ended'], {
      description: 'created from the mint on; ended once it has been ended. There is no way back.',
    }),
    livemode,
    source: Type.Enum(['server', 'browser', 'public'], {
      description: 'The route that minted it: /v1/sessions, /v1/browser-sessions or /v1/public-sessions.',
    }),
    origin: Type.Optional(
      Type.String({ description: 'The origin of the page, for sessions from browsers.' }),
    ),
    userId: Type.Optional(userId),
    processorId: Type.Optional(processorId),
    mode,
    speechInputMode,
    speechOnly,
    locale,
    secondaryLocale: Type.Optional(secondaryLocale),
    createdAt: timestamp('When the session was minted.'),
    endedAt: Type.Optional(timestamp('When the session was ended. Absent before.')),
    usage: Type.Object(
      { seconds: Type.Integer({ minimum: 0, description: 'Metered seconds: 0 until metering exists.' }) },
      { description: 'What the session has used.' },
    ),
  },
  {
    $id: 'Session',
    description:
      'A persisted runtime session. It holds no credential, so it may be logged and stored. A field that says nothing about this session is left out.',
  },
);

export type SessionRecord = Static<typeof sessionSchema>;

const experience = Type.Object(
  {
    experienceId: Type.String({ description: 'Id of the experience.' }),
    slug: Type.String({ description: 'Its slug when the revision was made.' }),
    title: Type.String({ description: 'Its title when the revision was made.' }),
    revision,
  },
  { additionalProperties: true, description: 'What was launched, as its revision froze it.' },
);

const freeForm = (description: string) => Type.Object({}, { additionalProperties: true, description });

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

export const sessionLaunchSchema = Type.Object(
  { session: Type.Ref('Session#'), launch: Type.Ref('SessionManifest#') },
  {
    $id: 'SessionLaunchResponse',
    description:
      'A launch: the session as the service keeps it, and the manifest to hand to the client SDK. Only launch holds a credential.',
  },
);

const jsonWebKey = Type.Object(
  {
    kty: Type.String({ description: 'Key type: OKP.' }),
    crv: Type.String({ description: 'Curve: Ed25519.' }),
    x: Type.String({ description: 'The public key, base64url.' }),
    kid: Type.String({ description: 'Names the key; session tokens carry it in their header.' }),
    use: Type.String({ description: 'sig: the key verifies signatures.' }),
    alg: Type.String({ description: 'EdDSA.' }),
  },
  { description: 'One public key.' },
);

export const jsonWebKeySetSchema = Type.Object(
  {
    keys: Type.Array(jsonWebKey, { minItems: 1, description: 'The key that signs first, then the others.' }),
  },
  { $id: 'JsonWebKeySet', description: 'The public keys that verify session tokens.' },
);
