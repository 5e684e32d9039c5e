import type { ByRoute } from '../call.ts';
import { type Api, bearer } from '../document.ts';
import { notStored } from '../headers.ts';
import * as lifecycle from '../runtime/lifecycle.ts';
import * as apply from './apply.ts';
import * as art from './art.ts';
import * as audit from './audit.ts';
import { withBodyErrors, withOperatorErrors } from './errors.ts';
import * as experiences from './experiences.ts';
import * as faces from './faces.ts';
import * as keys from './keys.ts';
import * as me from './me.ts';
import * as operators from './operators.ts';
import * as origins from './origins.ts';
import * as overview from './overview.ts';
import * as previews from './previews.ts';
import * as projectSettings from './project-settings.ts';
import * as projects from './projects.ts';
import * as revisions from './revisions.ts';
import * as sessions from './sessions.ts';
import * as signIn from './sign-in.ts';
import * as simulation from './simulation.ts';
import * as status from './status.ts';
import * as system from './system.ts';
import * as tools from './tools.ts';
import * as usage from './usage.ts';
import * as webhooks from './webhooks.ts';

const resources = [
  projects,
  apply,
  projectSettings,
  experiences,
  revisions,
  keys,
  tools,
  webhooks,
  sessions,
  art,
  faces,
  previews,
  simulation,
  origins,
  overview,
  usage,
  signIn,
  me,
  operators,
  lifecycle,
  status,
  system,
  audit,
] as const;

type OperationOf<Resource> = Resource extends unknown
  ? Resource[Extract<keyof Resource, `${string}Operation`>]
  : never;

/** The operations of the admin API by route. A client imports this type only, so that its code contains no schemas. */
export type AdminRoutes = ByRoute<OperationOf<(typeof resources)[number]>>;

/** The admin API, for operators and their tools, on a separate listener. */
export const adminApi: Api = {
  info: {
    title: 'Session launch, admin API',
    version: '1.0.0',
    summary: 'Projects, API keys and sessions, for operators, their tools and runtimes.',
    description: [
      'The admin API listens on a separate address (`ADMIN_HOST`, `ADMIN_PORT`) and is not for applications. Every request needs a token: `Authorization: Bearer <token>`, with the admin token or the token of an operator. A browser can sign in instead and is then recognised by a cookie. `/metrics` accepts `METRICS_TOKEN` as well. The command line `session-launch` is a client of this API.',
      'Routes under `/runtime/v1` are for runtimes and need the runtime token instead: `Authorization: Bearer <RUNTIME_TOKEN>`. Neither token is valid for the routes of the other.',
      'Errors have the same format as in the public API: `error.code` for programs, `error.message` for people, `error.requestId` for a report, and sometimes `error.details`.',
    ].join('\n\n'),
    license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'The admin listener that serves this document.' }],
  caller: 'operator',
  securitySchemes: {
    adminToken: bearer(
      'The admin token (`ADMIN_TOKEN`, or the content of the token file) or the token of an operator, which allows what the role of the operator allows. Not valid for the routes of runtimes.',
    ),
    consoleCookie: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-console',
      description:
        'The cookie of a signed-in browser. Over plain http on a loopback address its name is `console_<port>`. Such requests must come from the console itself.',
    },
    metricsToken: bearer('The token for metrics collectors: `METRICS_TOKEN`. Valid only for `/metrics`.'),
    runtimeToken: bearer(
      'The runtime token: `RUNTIME_TOKEN`, or the content of `DATA_DIR/runtime-token`. Valid only for the routes of runtimes.',
    ),
  },
  everyAnswer: notStored,
  operations: resources
    .flatMap(({ operations }) => operations)
    .map(withBodyErrors)
    .map(withOperatorErrors),
};
