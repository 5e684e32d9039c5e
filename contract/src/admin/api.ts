import type { Api } from '../document.ts';
import { errorSchema } from '../errors.ts';
import {
  connectedSchema,
  connectOperation,
  connectRequestSchema,
  reportAnswerSchema,
  reportOperation,
  reportSchema,
} from '../runtime/lifecycle.ts';
import { sessionSchema } from '../session.ts';
import {
  createdKeySchema,
  createKeyOperation,
  keyListSchema,
  keyRequestSchema,
  keySchema,
  listKeysOperation,
  revokeKeyOperation,
} from './keys.ts';
import {
  appliedSchema,
  applyOperation,
  exportOperation,
  listProjectsOperation,
  projectFileComponent,
  projectListSchema,
} from './projects.ts';
import { listSessionsOperation, sessionPageSchema } from './sessions.ts';
import { documentOperation, metricsOperation, statusOperation, statusSchema } from './status.ts';

/** What operators and their tools call, on a listener of its own. */
export const adminApi: Api = {
  info: {
    title: 'Session launch, admin API',
    version: '1.0.0',
    summary: 'Projects, API keys and sessions, for operators, their tools and runtimes.',
    description: [
      'It listens on an address of its own (`ADMIN_HOST`, `ADMIN_PORT`) and is not for applications. Every request needs the admin token: `Authorization: Bearer <ADMIN_TOKEN>`. The command line `session-launch` is a client of this interface.',
      'The addresses under `/runtime/v1` are for runtimes and have a token of their own: `Authorization: Bearer <RUNTIME_TOKEN>`. Neither token opens what the other one does.',
      'Errors have the shape of the public interface: `error.code` for programs, `error.message` for people, `error.requestId` for a report, and sometimes `error.details`.',
    ].join('\n\n'),
    license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'The admin listener that this document came from.' }],
  tags: [
    { name: 'Projects', description: 'Project files: apply them, read them back.' },
    { name: 'API keys', description: 'Keys of backends.' },
    { name: 'Sessions', description: 'What was minted.' },
    { name: 'Runtimes', description: 'How a session comes alive, and what becomes of it.' },
    { name: 'Operation', description: 'Status, metrics and this document.' },
  ],
  securitySchemes: {
    adminToken: {
      type: 'http',
      scheme: 'bearer',
      description:
        'The admin token: `ADMIN_TOKEN`, or what stands in the token file of an embedded service. It opens everything here but what runtimes call.',
    },
    metricsToken: {
      type: 'http',
      scheme: 'bearer',
      description:
        'The token for what collects metrics: `METRICS_TOKEN`. It opens `/metrics` and nothing else.',
    },
    runtimeToken: {
      type: 'http',
      scheme: 'bearer',
      description:
        'The token of runtimes: `RUNTIME_TOKEN`, or what stands in `DATA_DIR/runtime-token`. It opens what runtimes call and nothing else.',
    },
  },
  operations: [
    listProjectsOperation,
    applyOperation,
    exportOperation,
    listKeysOperation,
    createKeyOperation,
    revokeKeyOperation,
    listSessionsOperation,
    connectOperation,
    reportOperation,
    statusOperation,
    metricsOperation,
    documentOperation,
  ],
  schemas: [
    projectListSchema,
    projectFileComponent,
    appliedSchema,
    keyRequestSchema,
    keySchema,
    createdKeySchema,
    keyListSchema,
    sessionPageSchema,
    sessionSchema,
    connectRequestSchema,
    connectedSchema,
    reportSchema,
    reportAnswerSchema,
    statusSchema,
    errorSchema,
  ],
};
