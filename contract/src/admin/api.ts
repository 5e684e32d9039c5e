import { type Api, bearer } from '../document.ts';
import { notStored } from '../headers.ts';
import { connectOperation, reportOperation } from '../runtime/lifecycle.ts';
import { applyOperation } from './apply.ts';
import { deleteArtOperation, listArtOperation, uploadArtOperation } from './art.ts';
import { auditOperation } from './audit.ts';
import { withBodyErrors } from './errors.ts';
import {
  createExperienceOperation,
  listExperiencesOperation,
  orderExperiencesOperation,
  readExperienceOperation,
  saveExperienceOperation,
} from './experiences.ts';
import {
  createKeyOperation,
  listKeysOperation,
  replaceKeyOperation,
  revokeKeyOperation,
  updateKeyOperation,
} from './keys.ts';
import { createLoginLinkOperation, meOperation } from './me.ts';
import {
  changeOperatorOperation,
  createOperatorOperation,
  deleteOperatorOperation,
  listOperatorsOperation,
  replaceOperatorTokenOperation,
} from './operators.ts';
import { checkOriginOperation } from './origins.ts';
import { overviewOperation } from './overview.ts';
import { createPreviewOperation, deletePreviewOperation, listPreviewsOperation } from './previews.ts';
import { deleteProjectOperation, updateProjectOperation } from './project-settings.ts';
import { exportOperation, listProjectsOperation } from './projects.ts';
import {
  archiveExperienceOperation,
  compareRevisionsOperation,
  deleteExperienceOperation,
  listRevisionsOperation,
  publishExperienceOperation,
  readRevisionOperation,
  unpublishExperienceOperation,
} from './revisions.ts';
import {
  endSessionOperation,
  forgetUserOperation,
  getSessionOperation,
  listSessionsOperation,
} from './sessions.ts';
import {
  endLoginOperation,
  listLoginsOperation,
  loginOperation,
  logoutOperation,
  oidcCallbackOperation,
  oidcStartOperation,
  signInOperation,
} from './sign-in.ts';
import { simulateOperation } from './simulation.ts';
import { documentOperation, metricsOperation, statusOperation } from './status.ts';
import { doctorOperation, eventsOperation, signingKeysOperation } from './system.ts';
import { usageOperation } from './usage.ts';

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
  tags: [
    { name: 'Projects', description: 'Apply and export project files.' },
    { name: 'Experiences', description: 'Edit, publish and order experiences.' },
    { name: 'API keys', description: 'API keys of backends.' },
    { name: 'Sessions', description: 'Sessions of a project.' },
    { name: 'Art', description: 'Pictures of a project.' },
    { name: 'Previews', description: 'Links to talk to one revision, drafts included.' },
    { name: 'Languages', description: 'Which languages mints would get.' },
    { name: 'Origins', description: 'Which pages can mint sessions.' },
    { name: 'Signing in', description: 'Sign in with a browser, and see who is signed in.' },
    { name: 'Operators', description: 'The people who use the admin API, and their roles.' },
    { name: 'Runtimes', description: 'Connect sessions and report their usage.' },
    { name: 'Operation', description: 'Status, metrics and this document.' },
  ],
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
  operations: [
    listProjectsOperation,
    applyOperation,
    exportOperation,
    updateProjectOperation,
    deleteProjectOperation,
    listExperiencesOperation,
    createExperienceOperation,
    orderExperiencesOperation,
    readExperienceOperation,
    saveExperienceOperation,
    deleteExperienceOperation,
    publishExperienceOperation,
    unpublishExperienceOperation,
    archiveExperienceOperation,
    listRevisionsOperation,
    readRevisionOperation,
    compareRevisionsOperation,
    listKeysOperation,
    createKeyOperation,
    revokeKeyOperation,
    listSessionsOperation,
    listArtOperation,
    uploadArtOperation,
    deleteArtOperation,
    overviewOperation,
    usageOperation,
    signInOperation,
    loginOperation,
    oidcStartOperation,
    oidcCallbackOperation,
    logoutOperation,
    meOperation,
    createLoginLinkOperation,
    listLoginsOperation,
    endLoginOperation,
    listOperatorsOperation,
    createOperatorOperation,
    changeOperatorOperation,
    deleteOperatorOperation,
    replaceOperatorTokenOperation,
    connectOperation,
    reportOperation,
    statusOperation,
    metricsOperation,
    documentOperation,
    createPreviewOperation,
    listPreviewsOperation,
    deletePreviewOperation,
    simulateOperation,
    checkOriginOperation,
    replaceKeyOperation,
    updateKeyOperation,
    getSessionOperation,
    endSessionOperation,
    forgetUserOperation,
    auditOperation,
    doctorOperation,
    signingKeysOperation,
    eventsOperation,
  ].map(withBodyErrors),
};
