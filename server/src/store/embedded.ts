import {
  type Engine,
  type EngineHooks,
  openEngine,
  openInMemory as openEngineInMemory,
  type PgliteClient,
} from '@session-launch/engine';
import type { Database, Statement, Workload } from './database.ts';
import { sharedPing } from './ping.ts';
import { WriteHealth } from './write-health.ts';

export interface EmbeddedDatabase extends Database {
  readonly client: PgliteClient;
}

/** Opens the embedded engine on a data folder, which it locks for this process. */
export async function openEmbedded(dataDir: string, hooks: EngineHooks = {}): Promise<EmbeddedDatabase> {
  return asDatabase(await openEngine(dataDir, hooks));
}

/** In memory, for tests: from a dump of a migrated database, or empty. */
export async function openInMemory(dump?: Uint8Array): Promise<EmbeddedDatabase> {
  return asDatabase(await openEngineInMemory(dump));
}

function asDatabase({ client, close, ...own }: Engine): EmbeddedDatabase {
  const health = new WriteHealth();
  const run = async (text: string) => (await client.query(text)).rows;
  return {
    engine: 'embedded',
    client,
    own: { alive: () => client.alive, restarts: () => client.restarts, ...own },
    async query<Row>(workload: Workload, { text }: Statement, values?: unknown[]) {
      const sent = client.query<Row>(text, values, { isAdmin: workload === 'admin' });
      return (await (workload === 'recording' ? health.note(sent) : sent)).rows;
    },
    transaction: (work) =>
      client.transaction((tx) =>
        work({
          query: async <Row>({ text }: Statement, values?: unknown[]) =>
            (await tx.query<Row>(text, values)).rows,
        }),
      ),
    // One process owns the folder, so it receives its own changes without notifications.
    listen: async () => undefined,
    ping: sharedPing(async () => {
      if (client.isRestarting) throw new Error('the embedded engine is restarting');
      await health.check(run);
    }),
    pools: () => ({}),
    close,
  };
}
