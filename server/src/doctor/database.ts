import { stat } from 'node:fs/promises';
import { isFolderInUse } from '@session-launch/engine';
import type { Config } from '../config/config.ts';
import { clockToleranceMs } from './clock.ts';
import { type Finding, findingsOf } from './finding.ts';
import type { RunningService } from './running-service.ts';
import { checkSettings, type ServerSettings, selectSettings } from './server-settings.ts';

const { ok, fail } = findingsOf('database');
const timeoutMs = 3000;
const oldestVersion = 15;

export async function checkDatabase(config: Config, service: RunningService | undefined): Promise<Finding[]> {
  return config.database.engine === 'postgres'
    ? checkPostgres(config.database.url)
    : [await checkEmbedded(config.database.dataDir, service)];
}

/** Never opens the embedded database: a second process on its folder would lose rows. */
async function checkEmbedded(dataDir: string, service: RunningService | undefined): Promise<Finding> {
  const status = service?.status;
  if (status?.engine === 'embedded') {
    return status.database === 'ok'
      ? ok('embedded; the running service reads and writes it')
      : fail(
          `embedded; the running service says: ${status.database}`,
          'see the log of the service, then restart it',
        );
  }
  const found = await stat(dataDir).catch(() => undefined);
  if (!found) return ok(`embedded in ${dataDir}; it will be created at the first start`);
  // The folder may be in use although the admin check failed, by a service with another admin address.
  return ok(`embedded in ${dataDir}; the folder is ${(await isFolderInUse(dataDir)) ? 'in use' : 'free'}`);
}

async function checkPostgres(url: string): Promise<Finding[]> {
  const { default: pg } = await import('pg');
  let client: InstanceType<typeof pg.Client> | undefined;
  try {
    client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      application_name: 'session-launch doctor',
    });
    // Emitted when an idle connection breaks; the query below fails and reports it.
    client.on('error', () => {});
    await client.connect();
    const asked = Date.now();
    const { rows } = await client.query<{ number: string; version: string; now: number }>(
      `select current_setting('server_version_num') as number, current_setting('server_version') as version, (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
    );
    const offset = rows[0]!.now - (asked + Date.now()) / 2;
    const settings = (await client.query<ServerSettings>(selectSettings)).rows[0]!;
    return [describe(Number(rows[0]!.number), rows[0]!.version, offset), ...checkSettings(settings)];
  } catch (error) {
    return [fail(`cannot use PostgreSQL: ${reason(error)}`, 'start it, or correct DATABASE_URL')];
  } finally {
    await client?.end().catch(() => {});
  }
}

function describe(number: number, version: string, offsetMs: number): Finding {
  if (number < oldestVersion * 10_000) {
    return fail(`PostgreSQL ${version} is too old`, `upgrade it to ${oldestVersion} or newer`);
  }
  const apart = Math.abs(Math.round(offsetMs));
  if (apart >= clockToleranceMs) {
    return fail(
      `the clocks of PostgreSQL and this machine are ${(apart / 1000).toFixed(1)} s apart`,
      'set both clocks (NTP)',
    );
  }
  return ok(`PostgreSQL ${version}, clocks ${apart} ms apart`);
}

function reason(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  // If both addresses of localhost refuse the connection, pg throws an AggregateError with an empty message.
  const text = message === undefined || message === '' ? (code ?? 'it does not respond') : message;
  return text.replace(/\s+/g, ' ');
}
