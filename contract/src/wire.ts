// Constants of the interfaces between the service, its runtimes and the SDKs. Imports no schemas, so that it loads quickly. `npm run emit`
// copies the constants that the SDKs need into their sources.

/** Version of the manifest format. */
export const manifestVersion = 1;

/** The audience of session tokens. */
export const tokenAudience = 'session-runtime';

/** Path of the runtime's WebSocket endpoint. */
export const runtimePath = '/runtime';

/** Path of the runtime's WebSocket endpoint for RTVI clients. */
export const rtviPath = `${runtimePath}/rtvi`;

/**
 * Seconds between two reports of a runtime. If a session is ended between reports, at most this many seconds are metered after the last
 * one.
 */
export const reportIntervalSeconds = 5;

/** The WebSocket subprotocol between a client and a runtime. */
export const subprotocol = 'session.v1';
export const protocolVersion = 1;

/** Codes with which a runtime closes the WebSocket. */
export const closeCodes = {
  ended: 1000,
  draining: 1001,
  tooManyFragments: 1008,
  tooBig: 1009,
  fault: 1011,
  full: 1013,
  notTheProtocol: 4400,
  tokenInvalid: 4401,
  originDiffers: 4403,
  noHello: 4408,
  tokenUsed: 4409,
  sessionEnded: 4410,
  tooFast: 4429,
  tooManySessions: 4431,
  idle: 4440,
  maxDuration: 4441,
  endedByApi: 4442,
} as const;

/** Layout of a binary frame, little-endian: this header, then 16-bit mono PCM, or Opus packets, each after its length as u16. */
export const audioFrame = {
  headerBytes: 8,
  /** u8: the source of the audio. */
  kindAt: 0,
  kinds: { character: 1, user: 2 },
  /** u8: bit flags. */
  flagsAt: 1,
  flags: { last: 1, opus: 2 },
  /** u16 */
  utteranceAt: 2,
  /** u32: offset of the frame in samples from the start of the utterance. */
  offsetAt: 4,
  /** Milliseconds of audio per frame; the last frame of an utterance may be shorter. */
  milliseconds: 40,
  inputSampleRate: 16_000,
} as const;

/** Formats of audio that a client and a runtime can agree on. */
export const audioFormats = ['pcm16', 'opus'] as const;

/** Opus in binary frames: mono packets that each hold 20 ms. */
export const opus = {
  packetMs: 20,
  bitsPerSecond: 24_000,
  /** Maximum bytes of a packet (RFC 6716, section 3.2.1). */
  packetBytes: 1275,
} as const;

/** Limits of a connection. docs/runtime-protocol.md has one row for each. */
export const bounds = {
  /** Sockets of one client network that have not sent `hello`. */
  socketsBeforeHelloPerNetwork: 100,
  /** The limit over all networks is this number plus `RUNTIME_MAX_SESSIONS`. */
  socketsBeforeHello: 200,
  helloBytes: 8 * 1024,
  helloSeconds: 5,
  /** Once this percentage of `RUNTIME_MAX_SESSIONS` is in use, sessions minted by pages are limited to `networkPercent` per network. */
  fairShareFromPercent: 80,
  networkPercent: 20,
  /** Percentage of `RUNTIME_MAX_SESSIONS` that is reserved for sessions minted with an API key. */
  serverEndpointPercent: 10,
  frameBytes: 64 * 1024,
  fragmentsPerMessage: 16,
  /** Text, binary, ping and pong frames. */
  framesPerSecond: 100,
  /**
   * Maximum unused frames that accrue while a client is connected: the audio frames of `soundCreditMs`, and the `played` messages and pings
   * of that time.
   */
  frameCredit: 400,
  /** Typed texts, final transcripts, and turns transcribed from audio. */
  textsPerTenSeconds: 10,
  textCharacters: 4000,
  /** Maximum milliseconds of audio in one binary frame. */
  soundFrameMs: 100,
  /** Milliseconds of audio that a client may send ahead of real time. */
  soundAheadMs: 2000,
  /** Maximum milliseconds of unused audio budget that accrue while a client is connected. */
  soundCreditMs: 10_000,
  resumesPerTenSeconds: 5,
  /** Maximum bytes that are buffered because the client does not read; beyond it, the socket is destroyed. */
  unsentBytes: 4 * 1024 * 1024,
  /** Idle limit in seconds until the user first types or speaks, if `idleSeconds` is longer. */
  firstWordsSeconds: 60,
  /** Milliseconds of audio that may be sent beyond the client's reported playback position. */
  aheadMs: 1500,
  heartbeatSeconds: 15,
  /** Number of recent text events that are replayed after a resume. */
  replayedEvents: 256,
} as const;
