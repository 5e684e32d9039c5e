import type { ErrorCode } from './errors.ts';
import {
  exampleBrowserManifest,
  exampleBrowserSession,
  exampleManifest,
  examplePreviewManifest,
  examplePreviewSession,
  examplePublicManifest,
  exampleSession,
  exampleVoiceManifest,
} from './examples.ts';
import { crossOrigin, notStored, rateLimits, replayed } from './headers.ts';
import { sessionLaunchSchema, sessionManifestSchema } from './manifest.ts';
import {
  browserMintRequestSchema,
  previewMintRequestSchema,
  serverMintRequestSchema,
} from './mint-requests.ts';
import { jsonAnswer, type Operation } from './operation.ts';
import type { Source } from './session.ts';
import Type from './type.ts';

export const tag = {
  name: 'Minting',
  description:
    'Ways to create a session: from a backend, from a page, from a public embed, from a preview link.',
};

const idempotencyKey = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^[\\x20-\\x7e]+$',
  description:
    'A unique value of your choice, in printable ASCII, that makes retries safe. For 24 hours, a request with the same key and body returns the same launch; the same key with a different body is rejected. Only a successful launch uses the key; a rejected request leaves it unused.',
  examples: ['order-4711-attempt'],
});
export const originHeader = Type.String({
  description: 'The origin of the page, set by the browser. It is checked against the allowlist.',
  examples: ['https://app.example.com'],
});

const acceptLanguage = Type.String({
  description:
    'The visitor’s languages, as sent by the browser. The language with the highest weight is used if neither the creator nor the body specifies one. Ill-formed parts are skipped.',
  examples: ['es-MX,es;q=0.9,en;q=0.5'],
});

const inTheBody: readonly ErrorCode[] = ['INVALID_JSON', 'INVALID_REQUEST', 'LOCALE_CONFLICT'];
const ofTheKey: readonly ErrorCode[] = ['IDEMPOTENCY_CONFLICT', 'IDEMPOTENCY_IN_PROGRESS'];
const ofThePage: readonly ErrorCode[] = ['ORIGIN_REQUIRED', 'BROWSER_EMBEDS_DISABLED', 'ORIGIN_NOT_ALLOWED'];
const always: readonly ErrorCode[] = [
  'EXPERIENCE_NOT_FOUND',
  'EXPERIENCE_NOT_PUBLISHED',
  'SECONDARY_LOCALE_REQUIRED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'TRANSPORT_NOT_CONFIGURED',
  'INTERNAL',
  'UNAVAILABLE',
];

const fromServer: Operation = {
  operationId: 'mintSession',
  method: 'post',
  path: '/v1/sessions',
  tag,
  summary: 'Mint a session from a server',
  description:
    'Launches an experience of the project that the API key belongs to. Call it from a backend only, and pass `launch` to the client through an endpoint of your own.\n\nThe key needs the scope `sessions:create`. A test key may also launch an experience whose status is `draft`, whether new or unpublished again; it gets the newest revision.\n\nThe status is 201 for new and replayed launches.',
  caller: 'api-key',
  scope: 'sessions:create',
  headers: Type.Object({ 'Idempotency-Key': Type.Optional(idempotencyKey) }),
  body: {
    schema: serverMintRequestSchema,
    examples: {
      smallest: { summary: 'Only what is required', value: { experienceId: 'exp_market_day' } },
      learner: {
        summary: 'A lesson for a known user',
        value: {
          experienceId: 'exp_market_day',
          locale: 'en-US',
          learningLocale: 'es-MX',
          userId: 'learner-7',
          integration: { returnUrl: 'https://app.example.com/lessons' },
        },
      },
    },
  },
  answers: {
    201: jsonAnswer(
      'The launch.',
      sessionLaunchSchema,
      {
        launch: {
          summary: 'A dual experience, launched for a known user',
          value: { session: exampleSession, launch: exampleManifest },
        },
      },
      replayed,
    ),
  },
  errors: [
    ...inTheBody,
    'IDEMPOTENCY_KEY_INVALID',
    'API_KEY_INVALID',
    'INSUFFICIENT_SCOPE',
    'EXPERIENCE_FORBIDDEN',
    ...ofTheKey,
    ...always,
  ],
  everyAnswer: notStored,
};

const pageText =
  'No key is used: the browser’s `Origin` header authorises the request, so `security` is empty. The project’s limits apply; response headers report what remains.';

const fromBrowser: Operation = {
  operationId: 'mintBrowserSession',
  method: 'post',
  path: '/v1/browser-sessions',
  tag,
  summary: 'Mint a session from a page',
  description: `Launches an experience for a page whose origin is on the allowlist of the project, if browser embeds are enabled for the project.\n\n${pageText}\n\nA page at any http or https origin can read the responses to its requests, errors included. Two cases carry no CORS headers: pages whose origin is \`null\`, and requests that the HTTP parser rejects before routing (408, 431). A preflight gets 204 and allows \`Content-Type\` and \`Idempotency-Key\`; it authorises nothing, because the allowlist is checked on the POST.`,
  caller: 'anyone',
  headers: Type.Object({
    Origin: originHeader,
    'Accept-Language': Type.Optional(acceptLanguage),
    'Idempotency-Key': Type.Optional(idempotencyKey),
  }),
  body: {
    schema: browserMintRequestSchema,
    examples: {
      smallest: { summary: 'Only what is required', value: { experienceId: 'exp_market_day' } },
      languages: {
        summary: 'With the languages of the visitor',
        value: { experienceId: 'exp_market_day', locale: 'en-US', secondaryLocale: 'es-MX' },
      },
    },
  },
  answers: {
    201: jsonAnswer(
      'The launch.',
      sessionLaunchSchema,
      {
        launch: {
          summary: 'A dual experience, launched by a page',
          value: { session: exampleBrowserSession, launch: exampleBrowserManifest },
        },
      },
      { ...replayed, ...rateLimits },
    ),
  },
  errors: [
    ...inTheBody,
    'IDEMPOTENCY_KEY_INVALID',
    ...ofThePage,
    ...ofTheKey,
    ...always,
    'RATE_LIMITED',
    'QUOTA_EXCEEDED',
  ],
  everyAnswer: { ...notStored, ...crossOrigin },
};

const fromPublic: Operation = {
  operationId: 'mintPublicSession',
  method: 'post',
  path: '/v1/public-sessions',
  tag,
  summary: 'Mint a session of a public experience',
  description: `Launches a public experience for a page whose origin is on the allowlist of that experience. The response is the bare Session Manifest, and \`Idempotency-Key\` is ignored.\n\n${pageText}\n\nOnly pages on that allowlist can read the response. Preflights, and errors that occur before the experience is known, can be read by pages on the allowlist of any experience.`,
  caller: 'anyone',
  headers: Type.Object({ Origin: originHeader, 'Accept-Language': Type.Optional(acceptLanguage) }),
  body: {
    schema: browserMintRequestSchema,
    examples: {
      smallest: { summary: 'Only what is required', value: { experienceId: 'exp_harbor_guide' } },
      voice: {
        summary: 'Voice only, in Spanish',
        value: { experienceId: 'exp_harbor_guide', speechOnly: true, language: 'es' },
      },
    },
  },
  answers: {
    200: jsonAnswer(
      'The Session Manifest.',
      sessionManifestSchema,
      {
        smallest: {
          summary: 'With avatar and location, in the default language',
          value: examplePublicManifest,
        },
        voice: { summary: 'Voice only, in Spanish', value: exampleVoiceManifest },
      },
      rateLimits,
    ),
  },
  errors: [...inTheBody, ...ofThePage, ...always, 'RATE_LIMITED', 'QUOTA_EXCEEDED'],
  errorExamples: {
    ORIGIN_NOT_ALLOWED: {
      message:
        'This origin is not on the allowlist of the experience. Add it to allowedOrigins and apply the project file.',
      details: {
        origin: 'https://app.example.com:8443',
        hint: 'An allowed origin differs only in its port.',
      },
    },
  },
  everyAnswer: { ...notStored, ...crossOrigin },
};

const fromPreview: Operation = {
  operationId: 'mintPreviewSession',
  method: 'post',
  path: '/preview-sessions',
  tag,
  summary: 'Mint a session from a preview link',
  description:
    'Exchanges the code of a preview link for a session of exactly the revision that the link names, which may be a draft. The page at `/preview/` calls it; other applications use one of the other routes.\n\nThe session is not live, and the limits of the project do not apply. A link has its own: the number of sessions that it was created with, and 20 sessions a minute. A code that is unknown, expired, used up or withdrawn always gets the same response.\n\nThe response has no CORS headers, so only pages of this service can read it.',
  caller: 'anyone',
  headers: Type.Object({ 'Accept-Language': Type.Optional(acceptLanguage) }),
  body: {
    schema: previewMintRequestSchema,
    examples: {
      smallest: { summary: 'Only what is required', value: { code: 'Zm9yIHRoZSBkb2N1bWVudGF0aW9u' } },
      languages: {
        summary: 'With the languages of the visitor',
        value: { code: 'Zm9yIHRoZSBkb2N1bWVudGF0aW9u', locale: 'en-US', secondaryLocale: 'es-MX' },
      },
    },
  },
  answers: {
    201: jsonAnswer('The launch.', sessionLaunchSchema, {
      launch: {
        summary: 'A dual experience, launched from a preview link',
        value: { session: examplePreviewSession, launch: examplePreviewManifest },
      },
    }),
  },
  errors: [
    'INVALID_JSON',
    'INVALID_REQUEST',
    'PREVIEW_NOT_FOUND',
    'SECONDARY_LOCALE_REQUIRED',
    'RATE_LIMITED',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'INTERNAL',
    'UNAVAILABLE',
  ],
  errorExamples: {
    RATE_LIMITED: {
      message: 'Too many sessions for this preview: at most 20 a minute. Retry after 42 s.',
      details: { policy: 'preview', limit: 20, retryAfterSeconds: 42 },
    },
  },
  everyAnswer: notStored,
};

export const mintOperations: Readonly<Record<Source, Operation>> = {
  server: fromServer,
  browser: fromBrowser,
  public: fromPublic,
  preview: fromPreview,
};
