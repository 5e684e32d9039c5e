import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onDatabase, startPostgres } from '@session-launch/testing/postgres-server.ts';
import { startService } from './contestant.ts';
import { Ledger } from './soak-ledger.ts';
import { type Engine, readOptions, type SoakOptions, UsageError, usage } from './soak-options.ts';
import { type EngineReport, everything, isClean, markdown } from './soak-report.ts';
import { type SoakResult, type Stretch, soak } from './soak-run.ts';

type Cleanup = (undo: () => Promise<unknown>) => void;

/** A database to soak, and a reader of its launches for after the service has stopped. */
interface Store {
  env: Record<string, string>;
  stored(): Promise<Ledger>;
}

const stores: Record<Engine, (folder: string, cleanup: Cleanup) => Promise<Store>> = {
  async postgres(folder, cleanup) {
    const server = await startPostgres({ durable: true, detached: true });
    cleanup(() => server.dispose());
    const url = server.url('postgres');
    return {
      env: { DATABASE_URL: url, DATA_DIR: folder },
      stored: () =>
        onDatabase(url, (client) =>
          ledgerOf(async (after) => (await client.query(nextIds, [after])).rows as { id: string }[]),
        ),
    };
  },
  async embedded(folder) {
    return {
      env: { DATA_DIR: folder },
      stored: async () => {
        const { openEmbedded } = await import('../server/src/store/embedded.ts');
        const database = await openEmbedded(folder);
        try {
          return await ledgerOf((after) =>
            database.query<{ id: string }>('everyday', { name: 'next-ids', text: nextIds }, [after]),
          );
        } finally {
          await database.close();
        }
      },
    };
  },
};

const nextIds = 'SELECT id FROM sessions WHERE id > $1 ORDER BY id LIMIT 10000';

async function ledgerOf(next: (after: string) => Promise<{ id: string }[]>): Promise<Ledger> {
  const ledger = new Ledger();
  for (let last = ''; ; ) {
    const rows = await next(last);
    for (const { id } of rows) ledger.add(id);
    if (rows.length === 0) return ledger;
    last = rows.at(-1)!.id;
  }
}

function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
  else process.stderr.write(`${text}\n`);
}

function progress(engine: Engine, { minutes }: SoakOptions) {
  return (stretch: Stretch, result: SoakResult) => {
    const times = everything([stretch]);
    if (times.count === 0) return;
    const unexpected = [...result.unexpected.values()].reduce((sum, count) => sum + count, 0);
    say(
      `${engine} ${clock(stretch.at)} of ${clock(minutes * 60)}: ${Math.round(times.count / stretch.seconds)} requests/s, ` +
        `p50 ${times.percentile(0.5).toFixed(1)} ms, p99 ${times.percentile(0.99).toFixed(1)} ms, ` +
        `${Math.round(stretch.residentMegabytes)} MB (heap ${Math.round(stretch.heapMegabytes)}), ` +
        `loop p99 ${stretch.loopP99.toFixed(1)} ms, ${unexpected} unexpected`,
    );
  };
}

function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

async function soakEngine(engine: Engine, options: SoakOptions, stop: AbortSignal): Promise<EngineReport> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const folder = await mkdtemp(join(tmpdir(), 'session-launch-soak-'));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    say(`${engine}: starting`);
    const store = await stores[engine](folder, (step) => undo.push(step));
    const service = await startService(store.env, { detached: true });
    undo.push(() => service.stop());
    say(`${engine}: ${service.url}, process ${service.pid}\n`);
    const result = await soak(service, options, stop, progress(engine, options));
    await service.stop();
    say(`${engine}: counting launches`);
    return { engine, result, stored: await store.stored() };
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

async function main(options: SoakOptions): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      say('ending; the report follows\n');
      stop.abort();
    });
  }
  const reports: EngineReport[] = [];
  for (const engine of options.engines) {
    if (!stop.signal.aborted) reports.push(await soakEngine(engine, options, stop.signal));
  }
  say('');
  const text = markdown(reports, options);
  process.stdout.write(text);
  if (options.out !== undefined) await writeFile(options.out, text);
  process.exitCode = reports.every(isClean) ? 0 : 1;
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') console.log(usage);
  else await main(options);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`soak: ${error.message}\n\n${usage}`);
  process.exitCode = 2;
}
