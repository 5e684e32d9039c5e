import { availabilityOperation } from './availability.ts';
import { entryOperation, listOperation } from './catalog.ts';
import { type Api, bearer } from './document.ts';
import { galleryOperation } from './gallery.ts';
import { aliveOperation, readyOperation } from './health.ts';
import { mintOperations } from './minting.ts';
import { livekitWebhookOperation } from './runtime/livekit.ts';
import { endOperation, leaveOperation, readOperation } from './sessions.ts';
import { keySetOperation } from './verification.ts';

/** The public API, for applications, pages and runtimes. */
export const publicApi: Api = {
  info: {
    title: 'Session launch',
    version: '1.0.0',
    summary: 'Launches real-time avatar sessions for the applications that embed them.',
    description: [
      'Request a session for an experience. The response contains a Session Manifest: the runtime configuration, and a short-lived token with which a client SDK connects.',
      '## Who may call',
      '- **Backends** send an API key: `Authorization: Bearer <API_KEY>`. Keys belong to a project, have scopes, and are for tests or for live use. A key must never reach a browser.',
      '- **Pages** send no key. Their `Origin` is compared with an allowlist: the project’s for `/v1/browser-sessions`, the experience’s own for `/v1/public-sessions`. A request without `Origin` is rejected. OpenAPI cannot express this, so those operations have empty `security`.',
      '## Errors',
      'Every error has one shape: `error.code` for programs, `error.message` for people, `error.requestId` for a report, and sometimes `error.details`. Each operation lists the codes it can answer with. If a request has several errors, the first check that fails determines the response. Checks run in this order: the route, the caller, the scope, the idempotency key, the media type and size of the body, the body, the experience, the origin, the rate limits, the revision, the languages, the quota.',
      'An unknown URL gets 404 `NOT_FOUND`; an unsupported method gets 405 `METHOD_NOT_ALLOWED` with an `Allow` header. Malformed HTTP gets 400 before routing, and a request that does not arrive in time gets 408.',
      '## Compatibility',
      'Fields and error codes may be added; ignore the ones you do not know. All times are ISO 8601 in UTC with milliseconds.',
    ].join('\n\n'),
    license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'The service that serves this document.' }],
  securitySchemes: {
    apiKey: bearer(
      'An API key of the project, such as `sl_test_…` or `sl_live_…`. It is shown once, when it is created. Send it from servers only.',
    ),
  },
  operations: [
    mintOperations.server,
    mintOperations.browser,
    mintOperations.public,
    mintOperations.preview,
    availabilityOperation,
    readOperation,
    endOperation,
    leaveOperation,
    livekitWebhookOperation,
    listOperation,
    entryOperation,
    galleryOperation,
    keySetOperation,
    aliveOperation,
    readyOperation,
  ],
};
