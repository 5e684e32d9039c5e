// Written by `npm run emit` from the contract. Do not edit.

/** A persisted runtime session. It contains no credential, so it may be logged and stored. Fields that do not apply are absent. */
export interface Session {
  /** Id of the session. */
  sessionId: string;
  /** The project the session belongs to. */
  projectId: string;
  /** The experience that was launched. */
  experienceId: string;
  /** The revision of the experience that the session is bound to. */
  revision: number;
  /** created: no client has connected yet; active: a client has connected; ended: the session has ended, with or without a client; expired: no client connected in time. An ended session stays ended. */
  status: 'created' | 'active' | 'ended' | 'expired';
  /** False for sessions minted with a test key and for previews. Other sessions from browsers are always live. */
  livemode: boolean;
  /** The route that minted it: /v1/sessions, /v1/browser-sessions, /v1/public-sessions or /preview-sessions. */
  source: 'server' | 'browser' | 'public' | 'preview';
  /** The origin of the page, for sessions from browsers. */
  origin?: string;
  /** The user, as sent by the backend in the mint request. */
  userId?: string;
  /** The processor, as sent by the backend in the mint request. */
  processorId?: string;
  /** Your own metadata, such as an order number: up to 20 values of at most 500 characters, with names of 1 to 40 characters. Stored and returned with the session; never sent to the client. */
  metadata?: Record<string, string>;
  /** Whether the characters converse or present. */
  mode: 'conversation' | 'presenter';
  /** How the microphone is used: automatically, on demand or never. */
  speechInputMode: 'auto' | 'manual' | 'off';
  /** True if the session is voice-only. */
  speechOnly: boolean;
  /** The resolved language of the conversation, as a canonical BCP 47 tag. */
  locale: string;
  /** The paired language. Only sessions of dual experiences have it. */
  secondaryLocale?: string;
  /** When the session was minted. */
  createdAt: string;
  /** A client must connect before this time. */
  expiresAt: string;
  /** When a client connected. Absent before. */
  startedAt?: string;
  /** When the session ended. Absent before. */
  endedAt?: string;
  /** Why the session ended: api_request (ended through the API), client_ended, client_left, client_lost (the connection was lost and not resumed), idle_timeout, max_duration, runtime_error, runtime_lost (the runtime stopped reporting) or server_shutdown. Absent until then. */
  endReason?: 'api_request' | 'client_ended' | 'client_left' | 'client_lost' | 'idle_timeout' | 'max_duration' | 'runtime_error' | 'runtime_lost' | 'server_shutdown';
  /** Metered usage. */
  usage: {
    /** Whole seconds that a client was connected, from the reports of the runtime. */
    seconds: number;
  };
}

/** Everything that a client SDK needs to run the session, including its token. New fields may be added; ignore fields you do not know. */
export interface SessionManifest {
  /** Version of the manifest format. Reject versions you do not know. */
  schemaVersion: number;
  /** Id of the session. */
  sessionId: string;
  /** The credential of the session: a JWT signed with Ed25519. Keep it out of server-rendered HTML and out of logs. */
  sessionToken: string;
  /** The client must connect before this time. */
  expiresAt: string;
  /** False for sessions minted with a test key and for previews. Other sessions from browsers are always live. */
  livemode: boolean;
  /** The launched experience, as frozen in its revision. */
  experience: {
    /** Id of the experience. */
    experienceId: string;
    /** Slug at the time the revision was created. */
    slug: string;
    /** Title at the time the revision was created. */
    title: string;
    /** The revision of the experience that the session is bound to. */
    revision: number;
    [field: string]: unknown;
  };
  /** Whether the characters converse or present. */
  mode: 'conversation' | 'presenter';
  /** How the microphone is used: automatically, on demand or never. */
  speechInputMode: 'auto' | 'manual' | 'off';
  /** True if the session is voice-only. */
  speechOnly: boolean;
  /** The resolved language of the conversation, as a canonical BCP 47 tag. */
  locale: string;
  /** The paired language. Only sessions of dual experiences have it. */
  secondaryLocale?: string;
  /** Capabilities of the session: speech-output, speech-input, avatar, location. Ignore values you do not know. */
  capabilities: string[];
  /** The characters of the session. */
  characters: Array<{
    /** Id of the character within the experience. */
    characterId: string;
    /** Display name of the character. */
    name: string;
    /** Voice settings; their format is defined by the runtime. */
    voice?: Record<string, unknown>;
    /** Avatar settings; their format is defined by the runtime. Absent in voice-only sessions. */
    avatar?: Record<string, unknown>;
    [field: string]: unknown;
  }>;
  /** Location settings; their format is defined by the runtime. Absent if there is no location or the session is voice-only. */
  location?: Record<string, unknown>;
  /** How the client reaches the runtime. */
  transport: {
    /** Transport type: websocket or livekit. Reject types you do not know. */
    type: string;
    /** URL to connect to: with the session token for websocket, with `token` for livekit. */
    url: string;
    /** Only for livekit: the token with which the client joins its room. A credential, like `sessionToken`. */
    token?: string;
    /** Only for livekit: the room of the session. */
    roomName?: string;
    [field: string]: unknown;
  };
  /** Time limits of the session. */
  limits: {
    /** Maximum duration of the session in seconds. */
    maxSeconds: number;
    /** Seconds without speech or text after which the session ends. */
    idleSeconds: number;
  };
  /** URLs for the client. */
  links: {
    /** URL to which the client reports that it left: POST the session token as text/plain, for example with sendBeacon. */
    leave: string;
  };
  /** Player settings sent in the mint request. */
  player: {
    /** Start button settings, as sent in the mint request. */
    startButton?: Record<string, unknown>;
    /** Close button settings, as sent in the mint request. */
    closeButton?: Record<string, unknown>;
    /** The URL that the player opens when it closes. */
    returnUrl?: string;
    [field: string]: unknown;
  };
  /** The user, if the mint request named one. */
  user?: {
    /** The user, as sent by the backend in the mint request. */
    userId: string;
  };
  /** The processor, as sent by the backend in the mint request. */
  processorId?: string;
  [field: string]: unknown;
}

/** A launch: the stored session record, and the manifest for the client SDK. Only `launch` contains a credential. */
export interface SessionLaunchResponse {
  session: Session;
  launch: SessionManifest;
}

/** One published experience. */
export interface CatalogEntry {
  /** Id of the experience; use it to create sessions. */
  experienceId: string;
  /** Readable name, unique inside its project only. */
  slug: string;
  /** Display title. */
  title: string;
  /** Position set by the creator. The list is sorted by this field, then by experienceId. */
  sortOrder: number;
  /** When the experience last changed. */
  updatedAt: string;
  /** False if a gallery field is missing. The experience can still be launched. */
  catalogReady: boolean;
  /** Id of the avatar. Null until the creator sets it. */
  avatarId: string | null;
  /** Path of the avatar thumbnail on this service. Null until the creator sets it. */
  thumbnailPath: string | null;
  /** The two image layers of a gallery card, as paths on this service. Null until the creator sets them. */
  galleryThumb: {
    /** Foreground image. */
    avatarImage: string;
    /** Background image. */
    backgroundImage: string;
  } | null;
  /** Always empty; kept for older clients. */
  discoveryTags: string[];
}

/** The claims of a session token. */
export interface SessionClaims {
  /** Public URL of the service that minted the session. */
  iss: string;
  aud: 'session-runtime';
  /** The session id; equal to `jti`. */
  sub: string;
  jti: string;
  iat: number;
  exp: number;
  projectId: string;
  experienceId: string;
  revision: number;
  livemode: boolean;
  /** Origin of the page, for sessions that a browser minted. */
  origin?: string;
}

/** Mint request of a backend. Unlisted fields are ignored. */
export interface ServerMintRequest {
  /** The experience to launch. */
  experienceId: string;
  /** Language of the user. A creator’s Fixed language wins over it. At most 64 characters. */
  locale?: string;
  /** The paired language of a dual experience. In other experiences, the language of the conversation. At most 64 characters. */
  secondaryLocale?: string;
  /** Alias of secondaryLocale. If both are sent, they must name the same language. At most 64 characters. */
  learningLocale?: string;
  /** Whether the characters converse or present. */
  mode?: 'conversation' | 'presenter';
  /** How the microphone is used: automatically, on demand or never. */
  speechInputMode?: 'auto' | 'manual' | 'off';
  /** True creates a voice-only session, without avatar and location. */
  speechOnly?: boolean;
  /** Language selector, used if neither locale nor secondaryLocale applies. */
  language?: 'en' | 'es';
  /** Settings of the player’s start button, passed on unchanged. At most 2048 bytes as JSON text without white space, and at most 4 levels of objects and arrays, the first of which is this one. */
  startButton?: Record<string, unknown>;
  /** Settings of the player’s close button, passed on unchanged. At most 2048 bytes as JSON text without white space, and at most 4 levels of objects and arrays, the first of which is this one. */
  closeButton?: Record<string, unknown>;
  /** Your id of the user, stored with the session. */
  userId?: string;
  /** The processor that should run the session. */
  processorId?: string;
  /** Your own metadata, such as an order number: up to 20 values of at most 500 characters, with names of 1 to 40 characters. Stored and returned with the session; never sent to the client. */
  metadata?: Record<string, string>;
  /** How the session is embedded in your application. */
  integration?: {
    /** Absolute URL that the player opens when it closes. */
    returnUrl?: string;
  };
}

export const tokenAudience = 'session-runtime';
