import { entryOperation, listOperation } from './catalog.ts';
import { catalogEntrySchema, catalogListSchema } from './catalog-entry.ts';
import type { Api } from './document.ts';
import { errorSchema } from './errors.ts';
import { aliveOperation, healthSchema, readinessSchema, readyOperation } from './health.ts';
import { sessionLaunchSchema, sessionManifestSchema } from './manifest.ts';
import { browserMintRequestSchema, serverMintRequestSchema } from './mint-requests.ts';
import { mintOperations } from './minting.ts';
import { sessionSchema } from './session.ts';
import { endOperation, leaveOperation, readOperation } from './sessions.ts';
import { jsonWebKeySetSchema, keySetOperation } from './verification.ts';

/** What applications, pages and runtimes call. */
export const publicApi: Api = {
  info: {
    title: 'Session launch',
    version: '1.0.0',
    summary: 'Launches real-time avatar sessions for the applications that embed them.',
    description: [
      'Ask for a session of an experience, and the answer is a Session Manifest: how the runtime is to be configured, and a short-lived token with which a client SDK connects.',
      '## Who may call',
      '- **Backends** send an API key: `Authorization: Bearer <API_KEY>`. Keys belong to a project, have scopes, and are for tests or for live use. A key must never reach a browser.',
      '- **Pages** send no key. Their `Origin` is compared with an allowlist: the project’s for `/v1/browser-sessions`, the experience’s own for `/v1/public-sessions`. A request without `Origin` is refused. OpenAPI has no word for this, so those operations have empty `security`.',
      '## Errors',
      'Every error has one shape: `error.code` for programs, `error.message` for people, `error.requestId` for a report, and sometimes `error.details`. Each operation lists the codes it can answer with. Of several things that are wrong with a request, the one that is checked first is answered: the route, the caller, the scope, the idempotency key, the media type and size of the body, the body, the experience, the origin, the rate limits, the revision, the languages, the quota.',
      'Outside the operations listed here, an address that leads nowhere is answered with 404 `NOT_FOUND`, and a method that an address does not take with 405 `METHOD_NOT_ALLOWED` and an `Allow` header. What is not valid HTTP is refused with 400 before a route is chosen, and a request that does not arrive in time with 408.',
      '## Compatibility',
      'Fields and error codes may be added; ignore the ones you do not know. All times are ISO 8601 in UTC with milliseconds.',
    ].join('\n\n'),
    license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'The service that this document came from.' }],
  tags: [
    {
      name: 'Minting',
      description: 'Three doors into one pipeline: for backends, for pages, for public embeds.',
    },
    { name: 'Sessions', description: 'Reading and ending what was minted.' },
    { name: 'Catalog', description: 'The published experiences of a project.' },
    { name: 'Verification', description: 'What a runtime needs to trust a session token.' },
    { name: 'Health', description: 'For load balancers and monitors.' },
  ],
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description:
        'An API key of the project, such as `sl_test_…` or `sl_live_…`. It is shown once, when it is made. Send it from servers only.',
    },
  },
  operations: [
    mintOperations.server,
    mintOperations.browser,
    mintOperations.public,
    readOperation,
    endOperation,
    leaveOperation,
    listOperation,
    entryOperation,
    keySetOperation,
    aliveOperation,
    readyOperation,
  ],
  schemas: [
    serverMintRequestSchema,
    browserMintRequestSchema,
    sessionLaunchSchema,
    sessionManifestSchema,
    sessionSchema,
    catalogListSchema,
    catalogEntrySchema,
    jsonWebKeySetSchema,
    errorSchema,
    healthSchema,
    readinessSchema,
  ],
};
