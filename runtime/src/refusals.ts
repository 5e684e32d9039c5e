import { closeCodes, type RuntimeErrorCode } from '@session-launch/contract/runtime/protocol';

/** An error that closes a connection: the close code, and the fatal `error` event sent before it. */
export class Refusal extends Error {
  readonly closeCode: number;
  readonly code: RuntimeErrorCode;

  constructor(closeCode: number, code: RuntimeErrorCode, message: string) {
    super(message);
    this.closeCode = closeCode;
    this.code = code;
  }
}

const refusal = (close: keyof typeof closeCodes, code: RuntimeErrorCode, message: string) => () =>
  new Refusal(closeCodes[close], code, message);

export const notHello = refusal(
  'notTheProtocol',
  'PROTOCOL',
  'The first message must be a hello message of protocol session.v1.',
);
export const notClientReady = refusal(
  'notTheProtocol',
  'PROTOCOL',
  'The first message must be client-ready.',
);
export const notRtvi = refusal(
  'notTheProtocol',
  'PROTOCOL',
  'A frame must be a binary protobuf frame of RTVI whose message is JSON.',
);
export const notJson = refusal('notTheProtocol', 'PROTOCOL', 'A text frame must be JSON.');
export const noHello = refusal('noHello', 'PROTOCOL', 'The first message was not received in time.');
export const helloTooBig = refusal('tooBig', 'TOO_BIG', 'The first message must not exceed 8 KiB.');
export const full = refusal('full', 'FULL', 'This runtime is full; try again.');
export const draining = refusal('draining', 'DRAINING', 'This runtime is shutting down; try again.');
const otherOrigin = 'The session was minted for a page of another origin.';
export const originDiffers = refusal('originDiffers', 'ORIGIN_DIFFERS', otherOrigin);
export const tooManyFrames = refusal('tooFast', 'TOO_FAST', 'Too many frames per second.');
export const tooManyTexts = refusal('tooFast', 'TOO_FAST', 'Too many texts in ten seconds.');
export const tooMuchAudio = refusal('tooFast', 'TOO_FAST', 'Audio was sent faster than real time.');
export const tooManyResumes = refusal('tooFast', 'TOO_FAST', 'Too many resumes in ten seconds.');
const invalidToken = 'The session token is invalid or has expired.';
export const tokenInvalid = refusal('tokenInvalid', 'TOKEN_INVALID', invalidToken);
export const sessionEnded = refusal('sessionEnded', 'SESSION_ENDED', 'This session has ended.');
const tokenUsed = refusal('tokenUsed', 'TOKEN_USED', 'This session is already connected.');
const sessionLimit = 'The project has reached its limit of concurrent sessions.';
const tooManySessions = refusal('tooManySessions', 'TOO_MANY_SESSIONS', sessionLimit);
const fault = refusal('fault', 'FAULT', 'The session could not be started; try again.');

const ofService: Record<string, () => Refusal> = {
  SESSION_ALREADY_CONNECTED: tokenUsed,
  SESSION_ENDED: sessionEnded,
  SESSION_TOKEN_INVALID: tokenInvalid,
  SESSION_NOT_FOUND: tokenInvalid,
  CONCURRENCY_LIMIT: tooManySessions,
};

/** Maps an error code of the service to a refusal; `FAULT` for codes that do not concern the session. */
export function refusalFor(code: string | undefined): Refusal {
  return (ofService[code ?? ''] ?? fault)();
}
