import type { ErrorCode } from './errors.ts';
import {
  exampleBrowserManifest,
  exampleBrowserSession,
  exampleManifest,
  examplePublicManifest,
  exampleSession,
  exampleVoiceManifest,
} from './examples.ts';
import { crossOrigin, notStored, rateLimits, replayed } from './headers.ts';
import type { Operation } from './operation.ts';
import type { Source } from './session.ts';
import Type from './type.ts';

const tag = 'Minting';

const idempotencyKey = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^[\\x20-\\x7e]+$',
  description:
    'A value of your choice that makes retries safe, sent once, in printable ASCII. For 24 hours a repetition of the request, key and body, is answered with the launch it made before; under an unchanged key another body is refused. After a refusal the key is still free, since only launches take one.',
  examples: ['order-4711-attempt'],
});
const origin = Type.String({
  description: 'The origin of the page. Browsers set it by themselves; it decides who may mint.',
  examples: ['https://app.example.com'],
});

const acceptLanguage = Type.String({
  description:
    'The languages of the visitor, as browsers send them by themselves. The one with the greatest weight becomes the language of the conversation where neither the creator nor the body names one; parts that are not well-formed are skipped.',
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
    'Launches an experience of the project that the API key belongs to. Call it from a backend only, and hand `launch` to the client through an endpoint of your own.\n\nThe key needs the scope `sessions:create`. A test key may also launch an experience whose status is draft, be it new or withdrawn after a publication; it gets the newest revision.\n\nA launch has the status 201, whether it is fresh or replayed. Other descriptions of this interface list 200 beside it; this service never answers with that.',
  caller: 'api-key',
  scope: 'sessions:create',
  headers: Type.Object({ 'Idempotency-Key': Type.Optional(idempotencyKey) }),
  body: {
    schema: Type.Ref('ServerMintRequest#'),
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
    201: {
      description: 'The launch.',
      headers: replayed,
      content: {
        schema: Type.Ref('SessionLaunchResponse#'),
        examples: {
          launch: {
            summary: 'A dual experience, launched for a known user',
            value: { session: exampleSession, launch: exampleManifest },
          },
        },
      },
    },
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
  'There is no key: the `Origin` header that the browser sends is the authorisation, so `security` is empty here. Limits of the project apply; the answer says what is left of them.';

const fromBrowser: Operation = {
  operationId: 'mintBrowserSession',
  method: 'post',
  path: '/v1/browser-sessions',
  tag,
  summary: 'Mint a session from a page',
  description: `Launches an experience for a page whose origin is on the allowlist of the project, while browser embeds are switched on for it.\n\n${pageText}\n\nA page at any http or https origin can read the answers to its requests, errors included. There are two exceptions, which carry no CORS headers: a page whose origin is \`null\` can read nothing, and no page can read what the HTTP parser refuses before a route is chosen (408, 431). A preflight is answered with 204; it allows \`Content-Type\` and \`Idempotency-Key\`, but it does not admit anyone: the allowlist is asked by the POST.`,
  caller: 'anyone',
  headers: Type.Object({
    Origin: origin,
    'Accept-Language': Type.Optional(acceptLanguage),
    'Idempotency-Key': Type.Optional(idempotencyKey),
  }),
  body: {
    schema: Type.Ref('BrowserMintRequest#'),
    examples: {
      smallest: { summary: 'Only what is required', value: { experienceId: 'exp_market_day' } },
      languages: {
        summary: 'With the languages of the visitor',
        value: { experienceId: 'exp_market_day', locale: 'en-US', secondaryLocale: 'es-MX' },
      },
    },
  },
  answers: {
    201: {
      description: 'The launch.',
      headers: { ...replayed, ...rateLimits },
      content: {
        schema: Type.Ref('SessionLaunchResponse#'),
        examples: {
          launch: {
            summary: 'A dual experience, launched by a page',
            value: { session: exampleBrowserSession, launch: exampleBrowserManifest },
          },
        },
      },
    },
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
  description: `Launches a public experience for a page whose origin is on the allowlist of that experience. The answer is the bare Session Manifest, and \`Idempotency-Key\` has no effect.\n\n${pageText}\n\nPages on that allowlist can read the answer, and no others. As long as no experience has been looked up, in preflights and early errors, the pages on the allowlist of any experience count.`,
  caller: 'anyone',
  headers: Type.Object({ Origin: origin, 'Accept-Language': Type.Optional(acceptLanguage) }),
  body: {
    schema: Type.Ref('BrowserMintRequest#'),
    examples: {
      smallest: { summary: 'Only what is required', value: { experienceId: 'exp_harbor_guide' } },
      voice: {
        summary: 'Voice only, in Spanish',
        value: { experienceId: 'exp_harbor_guide', speechOnly: true, language: 'es' },
      },
    },
  },
  answers: {
    200: {
      description: 'The Session Manifest.',
      headers: rateLimits,
      content: {
        schema: Type.Ref('SessionManifest#'),
        examples: {
          smallest: {
            summary: 'With avatar and location, in the default language',
            value: examplePublicManifest,
          },
          voice: { summary: 'Voice only, in Spanish', value: exampleVoiceManifest },
        },
      },
    },
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

export const mintOperations: Readonly<Record<Source, Operation>> = {
  server: fromServer,
  browser: fromBrowser,
  public: fromPublic,
};
