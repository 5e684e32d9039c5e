// Written by `npm run emit` from the contract. Do not edit.

/** A persisted runtime session. It holds no credential, so it may be logged and stored. A field that says nothing about this session is left out. */
export interface Session {
  /** Id of the session. */
  sessionId: string;
  /** The project the session belongs to. */
  projectId: string;
  /** The experience that was launched. */
  experienceId: string;
  /** The revision of the experience that the session is bound to. */
  revision: number;
  /** created from the mint on; active once a client has connected; ended when that is over, or when it was ended before; expired when nobody connected in time. An ended session stays ended. */
  status: 'created' | 'active' | 'ended' | 'expired';
  /** False for sessions minted with a test key. Sessions from browsers are always live. */
  livemode: boolean;
  /** The route that minted it: /v1/sessions, /v1/browser-sessions or /v1/public-sessions. */
  source: 'server' | 'browser' | 'public';
  /** The origin of the page, for sessions from browsers. */
  origin?: string;
  /** The user that the backend named when it minted the session. */
  userId?: string;
  /** The processor that the backend asked for when it minted the session. */
  processorId?: string;
  /** Facts of your own about the session, such as the number of an order: up to 20 texts of at most 500 characters, by names of 1 to 40. They are kept with the session and shown with it, and never reach the client. */
  metadata?: Record<string, string>;
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
  /** When the session was minted. */
  createdAt: string;
  /** A client has to connect before this time. */
  expiresAt: string;
  /** When a client connected. Absent before. */
  startedAt?: string;
  /** When the session ended. Absent before. */
  endedAt?: string;
  /** Why it ended: api_request (ended by its owner), client_ended, client_left, client_lost (its connection was lost for good), idle_timeout, max_duration, runtime_error, runtime_lost (the runtime fell silent) or server_shutdown. Absent before. */
  endReason?: 'api_request' | 'client_ended' | 'client_left' | 'client_lost' | 'idle_timeout' | 'max_duration' | 'runtime_error' | 'runtime_lost' | 'server_shutdown';
  /** What the session has used. */
  usage: {
    /** Whole seconds that a client was connected, as the runtime reported them so far. */
    seconds: number;
  };
}

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

/** A launch: the session as the service keeps it, and the manifest to hand to the client SDK. Only launch holds a credential. */
export interface SessionLaunchResponse {
  session: Session;
  launch: SessionManifest;
}

/** One published experience. */
export interface CatalogEntry {
  /** Mint sessions with this id. */
  experienceId: string;
  /** Readable name, unique inside its project only. */
  slug: string;
  /** What people call it. */
  title: string;
  /** Where its creator placed it; the list is sorted by this, then by experienceId. */
  sortOrder: number;
  /** When the experience last changed. */
  updatedAt: string;
  /** False while a gallery field is missing. The experience can be launched all the same. */
  catalogReady: boolean;
  /** The avatar to show. Null while the creator has not set it. */
  avatarId: string | null;
  /** Picture of the avatar: a path of this service. Null while the creator has not set it. */
  thumbnailPath: string | null;
  /** The two layers of a gallery card, as paths of this service. Null while the creator has not set them. */
  galleryThumb: {
    /** Stands in front. */
    avatarImage: string;
    /** Covers the back. */
    backgroundImage: string;
  } | null;
  /** Always empty; kept for older clients. */
  discoveryTags: string[];
}

/** What a backend asks for. Fields that are not listed are ignored. */
export interface ServerMintRequest {
  /** The experience to launch. */
  experienceId: string;
  /** Language of the user. A creator’s Fixed language wins over it. */
  locale?: string;
  /** Paired language of a dual experience; in any other one, the language to immerse the session in. */
  secondaryLocale?: string;
  /** Another name for secondaryLocale. Send one of the two, or the same language in both. */
  learningLocale?: string;
  /** How the characters behave. */
  mode?: 'conversation' | 'presenter';
  /** How speech is taken in. */
  speechInputMode?: 'auto' | 'manual' | 'off';
  /** True mints a voice-only session: no avatar, no location. */
  speechOnly?: boolean;
  /** Language selector, used when no locale decides. */
  language?: 'en' | 'es';
  /** Settings of the player’s start button, handed on as they are. */
  startButton?: Record<string, unknown>;
  /** Settings of the player’s close button, handed on as they are. */
  closeButton?: Record<string, unknown>;
  /** Your own id of the user, kept with the session. */
  userId?: string;
  /** The processor that should run the session. */
  processorId?: string;
  /** Facts of your own about the session, such as the number of an order: up to 20 texts of at most 500 characters, by names of 1 to 40. They are kept with the session and shown with it, and never reach the client. */
  metadata?: Record<string, string>;
  /** How the session is embedded in your application. */
  integration?: {
    /** Where the player leads when it closes: an absolute URL. */
    returnUrl?: string;
  };
}
