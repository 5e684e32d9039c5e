import { type Api, bearer } from '../document.ts';
import { notStored } from '../headers.ts';
import { connectOperation, reportOperation } from '../runtime/lifecycle.ts';
import { createKeyOperation, listKeysOperation, revokeKeyOperation } from './keys.ts';
import { applyOperation, exportOperation, listProjectsOperation } from './projects.ts';
import { listSessionsOperation } from './sessions.ts';
import { documentOperation, metricsOperation, statusOperation } from './status.ts';

/** The admin API, for operators and their tools, on a separate listener. */
export const adminApi: Api = {
  info: {
    title: 'Session launch, admin API',
    version: '1.0.0',
    summary: 'Projects, API keys and sessions, for operators, their tools and runtimes.',
    description: [
      'The admin API listens on a separate address (`ADMIN_HOST`, `ADMIN_PORT`) and is not for applications. Every request needs the admin token: `Authorization: Bearer <ADMIN_TOKEN>`. The command line `session-launch` is a client of this API.',
      'Routes under `/runtime/v1` are for runtimes and need the runtime token instead: `Authorization: Bearer <RUNTIME_TOKEN>`. Neither token is valid for the routes of the other.',
      'Errors have the same format as in the public API: `error.code` for programs, `error.message` for people, `error.requestId` for a report, and sometimes `error.details`.',
    ].join('\n\n'),
    license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'The admin listener that serves this document.' }],
  tags: [
    { name: 'Projects', description: 'Apply and export project files.' },
    { name: 'API keys', description: 'API keys of backends.' },
    { name: 'Sessions', description: 'Sessions of a project.' },
    { name: 'Runtimes', description: 'Connect sessions and report their usage.' },
    { name: 'Operation', description: 'Status, metrics and this document.' },
  ],
  securitySchemes: {
    adminToken: bearer(
      'The admin token: `ADMIN_TOKEN`, or the content of the token file. Valid for every route except those of runtimes.',
    ),
    metricsToken: bearer('The token for metrics collectors: `METRICS_TOKEN`. Valid only for `/metrics`.'),
    runtimeToken: bearer(
      'The runtime token: `RUNTIME_TOKEN`, or the content of `DATA_DIR/runtime-token`. Valid only for the routes of runtimes.',
    ),
  },
  everyAnswer: notStored,
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
};
