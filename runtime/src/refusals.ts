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

const refusal = (closeCode: number, code: RuntimeErrorCode, message: string) => () =>
  new Refusal(closeCode, code, message);

export const notHello = refusal(
  closeCodes.notTheProtocol,
  'PROTOCOL',
  'The first message must be a hello of session.v1.',
);
export const notJson = refusal(closeCodes.notTheProtocol, 'PROTOCOL', 'A text frame must be JSON.');
export const noHello = refusal(closeCodes.noHello, 'PROTOCOL', 'No hello was received in time.');
export const helloTooBig = refusal(closeCodes.tooBig, 'TOO_BIG', 'A hello must not exceed 8 KiB.');
export const full = refusal(closeCodes.full, 'FULL', 'This runtime is full; try again.');
export const draining = refusal(closeCodes.draining, 'DRAINING', 'This runtime is shutting down; try again.');
export const originDiffers = refusal(
  closeCodes.originDiffers,
  'ORIGIN_DIFFERS',
  'The session was minted for a page of another origin.',
);
export const tooManyFrames = refusal(closeCodes.tooFast, 'TOO_FAST', 'Too many frames per second.');
export const tooManyTexts = refusal(closeCodes.tooFast, 'TOO_FAST', 'Too many texts in ten seconds.');
export const tooMuchAudio = refusal(closeCodes.tooFast, 'TOO_FAST', 'More audio than real time.');
export const tooManyResumes = refusal(closeCodes.tooFast, 'TOO_FAST', 'Too many resumes in ten seconds.');
export const tokenInvalid = refusal(
  closeCodes.tokenInvalid,
  'TOKEN_INVALID',
  'The session token is invalid or has expired.',
);
export const sessionEnded = refusal(closeCodes.sessionEnded, 'SESSION_ENDED', 'This session has ended.');
const tokenUsed = refusal(closeCodes.tokenUsed, 'TOKEN_USED', 'This session is already connected.');
const tooManySessions = refusal(
  closeCodes.tooManySessions,
  'TOO_MANY_SESSIONS',
  'The project has reached its limit of concurrent sessions.',
);
const fault = refusal(closeCodes.fault, 'FAULT', 'The session could not be started; try again.');

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
