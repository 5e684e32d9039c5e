// Written by `npm run emit` from the contract. Do not edit.

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

/** How a drawn character moves. */
export interface Rig {
  /** Version of this format. */
  rig: 1;
  /** File name of the picture, in the same folder. */
  image: string;
  head: {
    parts: string[];
    /** The point about which the head rotates. */
    pivot: [number, number];
    /** Maximum tilt to either side, in degrees. */
    maxTilt: number;
  };
  eyes: {
    /** Both pupils. They move with the gaze and shrink to a line in a blink. */
    pupils: string;
    /** The highlights in the pupils, which move with them. */
    shine?: string;
    /** Both upper lids. In a blink they close towards `blink.about`. */
    lids?: string;
    blink: {
      /** Height of a closed eye, as a fraction of an open one. */
      scaleY: number;
      /** The y coordinate of a closed eye. */
      about: number;
    };
    /** Maximum movement of the pupils, horizontally and vertically. */
    look: [number, number];
  };
  /** Both eyebrows. They rise and fall. */
  brows?: string;
  mouth: {
    /** The drawn mouth. The animated mouth is drawn in its place. */
    replace: string;
    /** The centre of the mouth. */
    at: [number, number];
    /** Distance from the middle to a corner, at rest. */
    width: number;
    /** Distance between the lips when the mouth is wide open. */
    height: number;
    /** Height of the corners above the middle, at rest. */
    smile: number;
    colors: {
      /** The lips, or the line. */
      lip: string;
      /** The open mouth. */
      inside: string;
      /** The teeth. */
      teeth: string;
      /** The tongue. */
      tongue: string;
    };
    /** soft: lips with teeth and tongue behind them; line: a line that opens into a ring. */
    style: 'soft' | 'line';
  };
  breathe?: {
    /** The part that grows with each breath, from its lower edge. */
    part: string;
    /** Its height after breathing in, as a multiple of its height at rest. */
    scaleY: number;
    /** Seconds from one breath to the next. */
    seconds: number;
  };
}

/** How a picture of a face moves. */
export interface PictureRig {
  /** Version of this format. */
  rig: 2;
  /** File name of the picture, in the same folder. */
  image: string;
  eyes: {
    /** The pupil on the left of the picture. */
    left: [number, number];
    /** The pupil on its right. */
    right: [number, number];
    /** Height of an open eye, as a fraction of the distance between the eyes; 0.24 if it is missing. */
    height?: number;
  };
  mouth: {
    /** The corner on the left of the picture. */
    left: [number, number];
    /** Where the lips touch, in the middle. */
    middle: [number, number];
    /** The corner on the right of the picture. */
    right: [number, number];
  };
  /** The lowest point of the chin. */
  chin: [number, number];
}

export type ServiceCode =
  | 'INVALID_JSON'
  | 'INVALID_REQUEST'
  | 'LOCALE_CONFLICT'
  | 'SECONDARY_LOCALE_REQUIRED'
  | 'IDEMPOTENCY_KEY_INVALID'
  | 'API_KEY_INVALID'
  | 'INSUFFICIENT_SCOPE'
  | 'EXPERIENCE_FORBIDDEN'
  | 'PROJECT_FORBIDDEN'
  | 'ORIGIN_REQUIRED'
  | 'ORIGIN_NOT_ALLOWED'
  | 'BROWSER_EMBEDS_DISABLED'
  | 'NOT_FOUND'
  | 'EXPERIENCE_NOT_FOUND'
  | 'EXPERIENCE_NOT_PUBLISHED'
  | 'SESSION_NOT_FOUND'
  | 'SESSION_TOKEN_INVALID'
  | 'SESSION_ALREADY_CONNECTED'
  | 'SESSION_ENDED'
  | 'CONCURRENCY_LIMIT'
  | 'METHOD_NOT_ALLOWED'
  | 'IDEMPOTENCY_CONFLICT'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RATE_LIMITED'
  | 'QUOTA_EXCEEDED'
  | 'PREVIEW_NOT_FOUND'
  | 'INTERNAL'
  | 'TRANSPORT_NOT_CONFIGURED'
  | 'UNAVAILABLE';
