// Written by `npm run emit` from the contract. Do not edit.

/** Everything a client SDK needs to run the session, its credential included. New fields may appear; ignore those you do not know. */
export interface SessionManifest {
  /** Version of this shape. Refuse versions you do not know. */
  schemaVersion: number;
  /** Id of the session. */
  sessionId: string;
  /** The credential of the session: a JWT signed with Ed25519. Keep it out of server-rendered HTML and out of logs. */
  sessionToken: string;
  /** The client has to connect before this time. */
  expiresAt: string;
  /** False for sessions minted with a test key. Sessions from browsers are always live. */
  livemode: boolean;
  /** What was launched, as its revision froze it. */
  experience: {
    /** Id of the experience. */
    experienceId: string;
    /** Its slug when the revision was made. */
    slug: string;
    /** Its title when the revision was made. */
    title: string;
    /** The revision of the experience that the session is bound to. */
    revision: number;
    [field: string]: unknown;
  };
  /** How the characters behave. */
  mode: 'conversation' | 'presenter';
  /** How speech is taken in. */
  speechInputMode: 'auto' | 'manual' | 'off';
  /** True when the session is voice only. */
  speechOnly: boolean;
  /** The language the conversation is held in, resolved, as a canonical BCP 47 tag. */
  locale: string;
  /** The paired language. Only sessions of dual experiences have it. */
  secondaryLocale?: string;
  /** The abilities of the session, out of speech-output, speech-input, avatar and location. Ignore those you do not know. */
  capabilities: string[];
  /** Who takes part. */
  characters: Array<{
    /** Name of the character inside the experience. */
    characterId: string;
    /** What people call the character. */
    name: string;
    /** How the character sounds, in the words of the runtime. */
    voice?: Record<string, unknown>;
    /** How the character looks, in the words of the runtime. Absent when the session is voice only. */
    avatar?: Record<string, unknown>;
    [field: string]: unknown;
  }>;
  /** The scene, in the words of the runtime. Absent when there is none or the session is voice only. */
  location?: Record<string, unknown>;
  /** How the client reaches the runtime. */
  transport: {
    /** How to connect: websocket today. Refuse types you do not know. */
    type: string;
    /** Where to connect with the session token. */
    url: string;
    [field: string]: unknown;
  };
  /** How long the session may last, in seconds. */
  limits: {
    /** The session ends when it has lasted so long. */
    maxSeconds: number;
    /** It ends when nobody has said anything for so long. */
    idleSeconds: number;
  };
  /** Addresses for the client. */
  links: {
    /** Where the client says that it has left: POST the session token as text/plain. A beacon can do that. */
    leave: string;
  };
  /** Settings of the player that the mint brought along. */
  player: {
    /** Settings of the start button, as the mint brought them. */
    startButton?: Record<string, unknown>;
    /** Settings of the close button, as the mint brought them. */
    closeButton?: Record<string, unknown>;
    /** Where the player leads when it closes. */
    returnUrl?: string;
    [field: string]: unknown;
  };
  /** Whose session it is, if the mint said so. */
  user?: {
    /** The user that the backend named when it minted the session. */
    userId: string;
  };
  /** The processor that the backend asked for when it minted the session. */
  processorId?: string;
  [field: string]: unknown;
}
