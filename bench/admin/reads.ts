import { adminApi } from '@session-launch/contract/admin/api';

/** Ids that the reads name. */
export interface Names {
  projectId: string;
  experienceId: string;
  sessionId: string;
  userId: string;
}

const ofProject = ({ projectId }: Names, rest = '') => `/admin/projects/${projectId}${rest}`;
const ofExperience = ({ experienceId }: Names, rest = '') => `/admin/experiences/${experienceId}${rest}`;

/** The paths to read, by operation. Lists are read in all ways in which the console filters them. */
const paths: Record<string, (names: Names) => string[]> = {
  listProjects: () => ['/admin/projects'],
  getProjectFile: (names) => [ofProject(names)],
  listExperiences: (names) => [ofProject(names, '/experiences')],
  getExperience: (names) => [ofExperience(names), ofExperience(names, '?format=yaml')],
  listRevisions: (names) => [ofExperience(names, '/revisions')],
  getRevision: (names) => [ofExperience(names, '/revisions/1')],
  compareRevisions: (names) => [ofExperience(names, '/revisions/1/changes')],
  listKeys: (names) => [ofProject(names, '/keys')],
  listSessions: (names) =>
    [
      '',
      '?limit=500',
      '?status=created',
      '?status=active',
      '?status=ended',
      '?status=expired',
      '?source=public',
      `?userId=${names.userId}`,
      `?experienceId=${names.experienceId}&status=ended`,
      '?origin=https%3A%2F%2Fnope.example',
      '?locale=de',
      '?livemode=false',
      `?from=${daysAgo(60)}&to=${daysAgo(59)}`,
    ].map((query) => ofProject(names, `/sessions${query}`)),
  listArt: (names) => [ofProject(names, '/art')],
  getOverview: (names) => ['1h', '24h', '7d'].map((window) => ofProject(names, `/overview?window=${window}`)),
  getUsage: (names) => [
    ofProject(names, '/usage'),
    ofProject(names, `/usage?from=${daysAgo(365).slice(0, 10)}&to=${daysAgo(0).slice(0, 10)}`),
  ],
  getMe: () => ['/admin/me'],
  listLogins: () => ['/admin/logins'],
  listOperators: () => ['/admin/operators'],
  getStatus: () => ['/admin/status'],
  getAdminDocument: () => ['/admin/openapi.json'],
  listPreviews: (names) => [ofExperience(names, '/previews')],
  getSessionDetail: ({ sessionId }) => [`/admin/sessions/${sessionId}`],
  listAudit: (names) => [
    '/admin/audit',
    `/admin/audit?projectId=${names.projectId}`,
    '/admin/audit?operatorId=opr_bench_1',
    '/admin/audit?action=none',
    `/admin/audit?projectId=${names.projectId}&operatorId=opr_bench_1`,
  ],
  getDoctor: () => ['/admin/doctor'],
  listSigningKeys: () => ['/admin/signing-keys'],
};

/** Operations that read no stored data for an operator, or that do not end. */
const others = ['getSignIn', 'startOidc', 'finishOidc', 'getMetrics', 'streamEvents'];

/** The path of every read of the admin API. Throws for an operation that is listed in neither place. */
export function adminReads(names: Names): string[] {
  return adminApi.operations
    .filter(({ method, operationId }) => method === 'get' && !others.includes(operationId))
    .flatMap(({ operationId }) => {
      const read = paths[operationId];
      if (read === undefined) throw new Error(`bench/admin/reads.ts has no path for ${operationId}`);
      return read(names);
    });
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}
