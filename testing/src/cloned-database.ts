import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { onDatabase } from './postgres-server.ts';

interface Clone {
  url: string;
  drop(): Promise<void>;
}

/** Clones the migrated template database on the shared server. */
export function clonedDatabase(): Promise<Clone> {
  return createClone(inject('postgresUrl'));
}

/** The same for global setup, where `inject` is not available. */
export async function createClone(server: string): Promise<Clone> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onDatabase(server, (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE template_service STRATEGY file_copy`),
  );
  return {
    url: server.replace(/\/postgres$/, `/${name}`),
    drop: async () => {
      await onDatabase(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** A server whose database `template_service` is migrated and empty. */
    postgresUrl: string;
  }
}
