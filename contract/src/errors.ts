import type { Static } from 'typebox';
import type { AnswerHeaders } from './headers.ts';
import { type Kind, resources } from './resources.ts';
import Type from './type.ts';

const error = (status: number, message: string) => ({ status, message });
const operatorError = (status: number, message: string) => ({ status, message, isOfOperators: true });

type WithMessage = {
  [K in Kind]: (typeof resources)[K] extends { notFound: string } ? K : never;
}[Kind];

/** The codes for unknown ids that only the admin API has. */
const unknownIds = Object.fromEntries(
  Object.entries(resources).flatMap(([kind, row]) =>
    'notFound' in row ? [[`${kind.toUpperCase()}_NOT_FOUND`, operatorError(404, row.notFound)]] : [],
  ),
) as Record<`${Uppercase<WithMessage>}_NOT_FOUND`, ReturnType<typeof operatorError>>;

/** Every error code of the service, with its HTTP status and default message. */
export const errorTable = {
  INVALID_JSON: error(400, 'The request body is empty or is not valid JSON.'),
  INVALID_REQUEST: error(400, 'The request is not valid; see details.'),
  LOCALE_CONFLICT: error(
    400,
    'secondaryLocale and learningLocale disagree. Send one of them, or the same tag in both.',
  ),
  SECONDARY_LOCALE_REQUIRED: error(
    400,
    'This dual experience lets the request choose the paired language: send secondaryLocale (or learningLocale).',
  ),
  IDEMPOTENCY_KEY_INVALID: error(
    400,
    'Idempotency-Key must be sent once, as 1 to 256 printable ASCII characters.',
  ),
  API_KEY_INVALID: error(401, 'A valid API key is required: send Authorization: Bearer <API_KEY>.'),
  INSUFFICIENT_SCOPE: error(403, 'This API key lacks a scope that the request needs.'),
  EXPERIENCE_FORBIDDEN: error(
    403,
    'This API key cannot access the experience: it belongs to another project.',
  ),
  PROJECT_FORBIDDEN: error(403, 'This API key cannot access the project.'),
  ORIGIN_REQUIRED: error(
    403,
    'This route is for browsers and needs an Origin header. From a server, use POST /v1/sessions with an API key.',
  ),
  ORIGIN_NOT_ALLOWED: error(403, 'The Origin of this page is not on the allowlist.'),
  BROWSER_EMBEDS_DISABLED: error(
    403,
    'Browser embeds are switched off for this project. Set browserEmbeds to true and apply the project file.',
  ),
  NOT_FOUND: error(404, 'No route matches this URL.'),
  EXPERIENCE_NOT_FOUND: error(404, 'No such experience.'),
  EXPERIENCE_NOT_PUBLISHED: error(404, 'The experience has no published revision.'),
  SESSION_NOT_FOUND: error(404, 'No such session.'),
  SESSION_TOKEN_INVALID: error(401, 'A valid session token of this session is required.'),
  SESSION_ALREADY_CONNECTED: error(
    409,
    'This session token has already been used: a session can be connected to only once.',
  ),
  SESSION_ENDED: error(410, 'The session has ended.'),
  CONCURRENCY_LIMIT: error(429, 'This project has reached its limit of concurrent sessions.'),
  METHOD_NOT_ALLOWED: error(405, 'This URL does not support the request method; see the Allow header.'),
  IDEMPOTENCY_CONFLICT: error(
    409,
    'This Idempotency-Key was already used with a different body. Use a new key for a new request.',
  ),
  IDEMPOTENCY_IN_PROGRESS: error(
    409,
    'A request with this Idempotency-Key is still being processed. Retry after a second.',
  ),
  PAYLOAD_TOO_LARGE: error(413, 'The request body is larger than 64 KiB.'),
  UNSUPPORTED_MEDIA_TYPE: error(415, 'Send the body as Content-Type: application/json.'),
  RATE_LIMITED: error(
    429,
    'Too many sessions were requested in a short time. Retry after the time given in Retry-After.',
  ),
  QUOTA_EXCEEDED: error(429, 'The daily session quota of this project is used up.'),
  PROJECT_FILE_INVALID: operatorError(400, 'The project file is not valid; see details.'),
  ADMIN_TOKEN_INVALID: operatorError(
    401,
    'A valid admin token is required: send Authorization: Bearer <ADMIN_TOKEN>.',
  ),
  RUNTIME_TOKEN_INVALID: operatorError(
    401,
    'A valid runtime token is required: send Authorization: Bearer <RUNTIME_TOKEN>.',
  ),
  LOGIN_FAILED: operatorError(
    401,
    'The sign-in failed: the code or token is not valid, or the code was already used.',
  ),
  ROLE_FORBIDDEN: operatorError(403, 'Your role does not allow this.'),
  CROSS_ORIGIN_REFUSED: operatorError(
    403,
    'This request was not sent by the console itself, so it is refused.',
  ),
  REVISION_NOT_FOUND: operatorError(404, 'The experience has no such revision.'),
  EVENT_NOT_FOUND: operatorError(404, 'The project has no such event.'),
  PREVIEW_NOT_FOUND: error(404, 'This preview does not exist, has expired, or has been used up.'),
  TOOL_NOT_FOUND: operatorError(404, 'The experience has no such tool.'),
  SLUG_TAKEN: operatorError(409, 'Another experience of the project has this slug.'),
  ART_IN_USE: operatorError(409, 'An experience uses this picture.'),
  EXPERIENCE_IN_USE: operatorError(
    409,
    'Sessions of this experience have been launched, so it cannot be deleted. Archive it instead.',
  ),
  LAST_OWNER: operatorError(409, 'The last owner of all projects cannot be removed or limited.'),
  VERSION_CONFLICT: operatorError(
    412,
    'The document has changed since the version in If-Match; see details.',
  ),
  HOST_NOT_KNOWN: operatorError(421, 'The admin listener does not serve the console under this host name.'),
  VERSION_REQUIRED: operatorError(428, 'Send the version that you are changing: If-Match: "<version>".'),
  TOO_MANY_LOGINS: operatorError(429, 'Too many failed sign-ins from this network. Try again in a minute.'),
  LIVEKIT_SIGNATURE_INVALID: operatorError(
    401,
    'A valid signature of LiveKit is required: its token with the hash of the body.',
  ),
  INTERNAL: error(500, 'An internal error occurred. Include the request id when you report it.'),
  TOO_MANY_STREAMS: operatorError(
    503,
    'No further stream of events can be opened. Read the state at intervals instead.',
  ),
  TRANSPORT_NOT_CONFIGURED: error(501, 'The transport of this experience is not configured on this service.'),
  UNAVAILABLE: error(
    503,
    'The service is temporarily unavailable. Retry after the time given in Retry-After.',
  ),
  ...unknownIds,
};

export type ErrorCode = keyof typeof errorTable;

/** Codes that only operators and runtimes receive, so that the SDKs do not list them. */
export const operatorCodes: readonly string[] = Object.entries(errorTable)
  .filter(([, one]) => 'isOfOperators' in one)
  .map(([code]) => code);

interface ErrorFacts {
  message?: string;
  details?: unknown;
  /** What the code means in every response of the operation. */
  description?: string;
  headers?: AnswerHeaders;
}

/** What is known of an error by code, where it differs from the defaults. */
export type ErrorExamples = Partial<Record<ErrorCode, ErrorFacts>>;

export const violationSchema = Type.Object(
  {
    path: Type.String({
      description: 'The field, such as integration.returnUrl. Empty for the body itself.',
    }),
    message: Type.String({ description: 'What is wrong with it.' }),
  },
  { description: 'One violation in a request.' },
);

/** The envelope of every error. */
export const errorSchema = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.String({
          description: 'Machine-readable error code. Branch on this field, not on the message.',
        }),
        message: Type.String({ description: 'Human-readable message. The wording may change.' }),
        details: Type.Optional(
          Type.Union([Type.Array(violationSchema), Type.Object({}, { additionalProperties: true })], {
            description:
              'Additional information: the first 20 violations of an invalid request, or facts specific to the code.',
          }),
        ),
        requestId: Type.String({
          pattern: '^req_',
          description: 'Identifies this request in the service logs; also sent as X-Request-Id.',
        }),
      },
      { description: 'The error.' },
    ),
  },
  { $id: 'Error', description: 'The body of every error response.' },
);

/** One violation in an input, located by its path, such as `integration.returnUrl` or `experiences[2].slug`. */
export type Violation = Static<typeof violationSchema>;

export type ErrorEnvelope = Static<typeof errorSchema>;
