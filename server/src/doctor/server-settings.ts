import { connectionsPerProcess } from '../store/postgres/pool-settings.ts';
import { type Finding, findingsOf } from './finding.ts';

const { ok, warn, fail } = findingsOf('database settings');

/** The settings in effect for this role and database, and the connections that they leave to the role. */
export const selectSettings = `
  SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS "fullPageWrites",
         current_setting('synchronous_commit') AS "synchronousCommit",
         current_setting('default_transaction_read_only') AS "readOnly",
         current_setting('autovacuum') AS autovacuum, current_setting('track_counts') AS "trackCounts",
         current_setting('track_activities') AS "trackActivities",
         least(current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
               (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
               (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS connections`;

type Switch = 'on' | 'off';

export interface ServerSettings {
  fsync: Switch;
  fullPageWrites: Switch;
  /** `on`, `off` or a level of replication. */
  synchronousCommit: string;
  readOnly: Switch;
  autovacuum: Switch;
  trackCounts: Switch;
  trackActivities: Switch;
  connections: number;
}

const turnOn = (name: string) => `ALTER SYSTEM SET ${name} = on, then SELECT pg_reload_conf()`;

/** Settings that lose data or slow the service down. The planner and just-in-time compilation do not matter: see decision 0039. */
export function checkSettings(settings: ServerSettings): Finding[] {
  const found: Finding[] = [];
  if (settings.fsync === 'off') {
    found.push(fail('fsync is off, so a crash of the machine can destroy the database', turnOn('fsync')));
  }
  if (settings.fullPageWrites === 'off') {
    const message = 'full_page_writes is off, so a crash of the machine can damage tables';
    found.push(
      warn(message, `${turnOn('full_page_writes')}, unless the file system writes pages atomically`),
    );
  }
  if (settings.synchronousCommit === 'off') {
    const message = 'synchronous_commit is off, so a crash of PostgreSQL loses acknowledged sessions';
    found.push(fail(message, 'set it to on, for the server, the database and the role'));
  }
  if (settings.readOnly === 'on') {
    const message = 'default_transaction_read_only is on, so nothing can be stored';
    found.push(fail(message, 'set it to off, for the server, the database and the role'));
  }
  if (settings.autovacuum === 'off') {
    const message = 'autovacuum is off, so tables grow and statements become slow';
    found.push(warn(message, turnOn('autovacuum')));
  }
  if (settings.trackCounts === 'off') {
    found.push(warn('track_counts is off, so autovacuum does nothing', turnOn('track_counts')));
  }
  if (settings.trackActivities === 'off') {
    const message =
      'track_activities is off, so a broken connection is noticed only at the statement timeout';
    found.push(warn(message, turnOn('track_activities')));
  }
  if (settings.connections < connectionsPerProcess) {
    const message = `${settings.connections} connections are allowed, and one process uses up to ${connectionsPerProcess}`;
    found.push(
      warn(message, `allow ${connectionsPerProcess} per process: max_connections, or the limit of the role`),
    );
  }
  return found.length > 0 ? found : [ok('nothing is unsafe or slow')];
}
