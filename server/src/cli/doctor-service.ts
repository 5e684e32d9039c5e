import type { ServiceStatus } from '@session-launch/contract/admin/status';
import type { ClientConfig } from '../config/config.ts';
import { type Finding, findingsOf } from '../doctor/finding.ts';
import { checkOfLivekit } from '../doctor/livekit.ts';
import type { RunningService } from '../doctor/running-service.ts';
import { checkOfTools } from '../doctor/tools.ts';
import { type AdminClient, AdminFailure, createAdminClient } from './client/admin-client.ts';
import { within } from './client/deadline.ts';

/** The state of the running service, requested once for all checks. */
export interface Service extends RunningService {
  finding: Finding;
  /** Findings that only the service has, because it alone reads the database. */
  ofService?: Finding[];
}

const { ok, warn, fail } = findingsOf('admin API');

export async function checkService(client: ClientConfig, engine: ServiceStatus['engine']): Promise<Service> {
  const asked = Date.now();
  try {
    const admin = createAdminClient(client);
    const status = await admin.json('engine', 'GET /admin/status');
    const clockOffsetMs = new Date(status.time).getTime() - (asked + Date.now()) / 2;
    const finding = describe(client.adminUrl, status, engine);
    return { finding, status, clockOffsetMs, ofService: await findingsOfService(admin) };
  } catch (error) {
    if (!(error instanceof AdminFailure)) throw error;
    return { finding: await failure(client, engine, error) };
  }
}

async function findingsOfService(admin: AdminClient): Promise<Finding[]> {
  const { findings } = await admin
    .json('findings', 'GET /admin/doctor')
    .catch(() => ({ findings: [] as Finding[] }));
  return findings.filter(({ check }) => check === checkOfLivekit || check === checkOfTools);
}

function describe(adminUrl: string, status: ServiceStatus, engine: ServiceStatus['engine']): Finding {
  if (status.engine !== engine) {
    return warn(
      `the service at ${adminUrl} runs on ${status.engine}, but this configuration says ${engine}`,
      'run doctor with the variables of the service',
    );
  }
  return ok(`version ${status.version} runs at ${adminUrl}, public at ${status.publicUrl}`);
}

async function failure(
  client: ClientConfig,
  engine: ServiceStatus['engine'],
  error: AdminFailure,
): Promise<Finding> {
  const { adminUrl } = client;
  const notRunning = warn(
    `no service answers at ${adminUrl}`,
    'start it with session-launch serve, or set ADMIN_URL',
  );
  if (error.kind === 'unreachable' || error.kind === 'timeout') return notRunning;
  if (error.kind !== 'no-token') return fail(error.message, 'correct ADMIN_URL, ADMIN_TOKEN or DATA_DIR');
  if (await answers(adminUrl)) return fail('a service answers, but there is no token for it', error.message);
  return engine === 'postgres'
    ? warn('the admin listener is off without a token', 'set ADMIN_TOKEN to 16 characters or more')
    : notRunning;
}

async function answers(adminUrl: string): Promise<boolean> {
  try {
    await within(3, (signal) => fetch(adminUrl, { redirect: 'manual', signal }));
    return true;
  } catch {
    return false;
  }
}
