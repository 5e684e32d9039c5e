import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { onDatabase, type PostgresServer, startPostgres } from '@session-launch/testing/postgres-server.ts';
import { type Contestant, measure, startProgram, startService } from './contestant.ts';
import { fillSessions, mintMany } from './growth.ts';
import type { Measured } from './load.ts';
import { markdown, plot, type Report, type ScenarioResult } from './report.ts';
import { median } from './statistics.ts';
import { growthTargets, latencyTarget, memoryTarget, ratioTargets } from './targets.ts';
import { provision, type Request, requests, serverMint } from './world.ts';

const usage = `npm run bench [-- OPTIONS]

  --rounds N       interleaved rounds (5)
  --seconds N      seconds for each scenario in a round (5)
  --sessions N     sessions stored for the growth check, and minted for the memory check (1000000; 0 skips both)
  --no-write       print only; leave results.md and results.svg alone`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    sessions: { type: 'string', default: '1000000' },
    'no-write': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const [rounds, seconds, sessions] = [values.rounds, values.seconds, values.sessions].map(Number) as [
  number,
  number,
  number,
];
if (
  ![rounds, seconds].every((n) => Number.isInteger(n) && n > 0) ||
  !Number.isInteger(sessions) ||
  sessions < 0
) {
  console.error(usage);
  process.exit(2);
}
const connections = 64;
const require = createRequire(import.meta.url);

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
  else process.stderr.write(`${text}\n`);
}

interface Entry {
  contestant: string;
  scenario: string;
  request: Request;
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-bench-'));
  const server = await startPostgres({ durable: true });
  const running: Contestant[] = [];
  const started = async (contestant: Promise<Contestant>) => {
    running.push(await contestant);
    return contestant;
  };
  try {
    const report = await measureAll(server, folder, started);
    console.log(`\n${markdown(report)}`);
    if (!values['no-write']) {
      await writeFile(new URL('results.md', import.meta.url), markdown(report));
      await writeFile(new URL('results.svg', import.meta.url), plot(report.results));
    }
  } finally {
    await Promise.all(running.map((contestant) => contestant.stop()));
    await server.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureAll(
  server: PostgresServer,
  folder: string,
  started: (contestant: Promise<Contestant>) => Promise<Contestant>,
): Promise<Report> {
  const database = async (name: string) => {
    await onDatabase(server.url('postgres'), (client) => client.query(`CREATE DATABASE ${name}`));
    return server.url(name);
  };
  progress('starting the contestants');
  const postgres = await started(
    startService({ DATABASE_URL: await database('ours'), DATA_DIR: join(folder, 'pg') }),
  );
  const world = await provision(postgres);
  const embedded = await started(startService({ DATA_DIR: join(folder, 'embedded') }));
  const embeddedWorld = await provision(embedded);
  const floor = await started(startProgram('contestants/floor.ts', { ANSWER: world.launch }));
  const byHand = await started(
    startProgram('contestants/by-hand.ts', {
      ANSWER: world.launch,
      API_KEY: world.apiKey,
      DATABASE_URL: await database('by_hand'),
    }),
  );
  const livekit = await started(startProgram('contestants/livekit.ts', {}));

  const floorEntry = { contestant: 'floor', scenario: 'floor', request: serverMint(floor.url, world.apiKey) };
  const ofOurs = (contestant: string, all: Record<string, Request>): Entry[] =>
    Object.entries(all).map(([scenario, request]) => ({ contestant, scenario, request }));
  const entries: Entry[] = [
    floorEntry,
    { contestant: 'by hand', scenario: 'by hand', request: serverMint(byHand.url, world.apiKey) },
    {
      contestant: 'LiveKit recipe',
      scenario: 'LiveKit recipe',
      request: serverMint(livekit.url, world.apiKey),
    },
    ...ofOurs('ours, PostgreSQL', await requests(postgres, world)),
    ...ofOurs('ours, embedded', await requests(embedded, embeddedWorld)),
  ];
  const results = await interleaved(entries);
  const find = (contestant: string, scenario: string) =>
    results.find((r) => r.contestant === contestant && r.scenario === scenario)!;

  const mint = find('ours, PostgreSQL', 'server mint');
  const half = Math.round(median(mint.perSecond) / 2);
  progress(`steady half of the maximum: ${half} requests/s`);
  const steady = await measureSteady(serverMint(postgres.url, world.apiKey), half);
  const report: Report = {
    date: new Date().toISOString().slice(0, 10),
    versions: {
      'Node.js': process.version,
      PostgreSQL: await onDatabase(server.url('postgres'), async (client) => {
        const { rows } = await client.query<{ v: string }>("SELECT current_setting('server_version') AS v");
        return rows[0]?.v ?? '';
      }),
      Fastify: (require('fastify/package.json') as { version: string }).version,
      Express: (require('express/package.json') as { version: string }).version,
      autocannon: (require('autocannon/package.json') as { version: string }).version,
    },
    rounds,
    seconds,
    connections,
    results,
    targets: [...ratioTargets(find), latencyTarget(steady)],
    facts: [
      ['First start, PostgreSQL (empty database)', `${(postgres.startMs / 1000).toFixed(1)} s`],
      ['First start, embedded (empty folder)', `${(embedded.startMs / 1000).toFixed(1)} s`],
      [
        `Server mint at a steady ${half}/s`,
        `p50 ${steady.p50} ms, p99 ${steady.p99} ms (medians of ${rounds} runs of ${seconds} s)`,
      ],
    ],
  };
  if (sessions > 0) {
    await measureGrowth(report, await database('small'), await database('large'), folder, started);
    await measureMemory(report, postgres, serverMint(postgres.url, world.apiKey), 'PostgreSQL', 200);
    await measureMemory(report, embedded, serverMint(embedded.url, embeddedWorld.apiKey), 'embedded', 700);
  }
  return report;
}

/** A quick refusal must not look like a quick answer. */
function requireExpected(what: string, { statuses, errors }: Measured): void {
  const unexpected = Object.keys(statuses).filter((status) => !/^(200|201|304|409)$/.test(status));
  if (unexpected.length === 0 && errors === 0) return;
  throw new Error(`${what}: ${JSON.stringify(statuses)}, ${errors} errors`);
}

/** The median of some short runs, so that one pause of a shared machine does not decide. */
async function measureSteady(request: Request, rate: number): Promise<Measured> {
  const runs: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    // Connections enough that no request has to wait for one.
    const steady = await measure({ ...request, connections: 512, seconds, rate });
    requireExpected('steady pace', steady);
    runs.push(steady);
  }
  const { statuses } = runs[0]!;
  const of = (field: 'perSecond' | 'p50' | 'p99') => median(runs.map((run) => run[field]));
  return { perSecond: of('perSecond'), p50: of('p50'), p99: of('p99'), statuses, errors: 0 };
}

/** Every scenario once in each round, so that a busy moment of the machine hits all of them alike. */
async function interleaved(entries: Entry[], count = rounds, each = seconds): Promise<ScenarioResult[]> {
  const results = entries.map(({ contestant, scenario }): ScenarioResult => {
    return { contestant, scenario, perSecond: [], ratios: [], p50: [], p99: [] };
  });
  for (const [i, { contestant, scenario, request }] of entries.entries()) {
    progress(`warm-up ${i + 1}/${entries.length}: ${contestant}, ${scenario}`);
    await measure({ ...request, connections, seconds: 2 });
  }
  for (let round = 1; round <= count; round++) {
    let floor = Number.NaN;
    for (const [i, { contestant, scenario, request }] of entries.entries()) {
      progress(`round ${round}/${count}, ${i + 1}/${entries.length}: ${contestant}, ${scenario}`);
      const measured = await measure({ ...request, connections, seconds: each });
      requireExpected(`${contestant}, ${scenario}`, measured);
      if (i === 0) floor = measured.perSecond;
      const result = results[i]!;
      result.perSecond.push(measured.perSecond);
      result.ratios.push(measured.perSecond / floor);
      result.p50.push(measured.p50);
      result.p99.push(measured.p99);
    }
  }
  return results;
}

async function measureGrowth(
  report: Report,
  smallUrl: string,
  largeUrl: string,
  folder: string,
  started: (contestant: Promise<Contestant>) => Promise<Contestant>,
): Promise<void> {
  const prepared = async (url: string, count: number) => {
    const contestant = await started(startService({ DATABASE_URL: url, DATA_DIR: join(folder, 'pg') }));
    const world = await provision(contestant);
    progress(`storing ${count} sessions`);
    await fillSessions(url, count);
    return requests(contestant, world);
  };
  const small = await prepared(smallUrl, 1_000);
  const large = await prepared(largeUrl, sessions);
  const names = ['server mint', 'server mint, fresh key', 'session read'];
  const entries = names.flatMap((scenario): Entry[] => [
    { contestant: '1000', scenario, request: small[scenario]! },
    { contestant: String(sessions), scenario, request: large[scenario]! },
  ]);
  // Many short rounds: a tenth is less than what a shared machine changes from one second to the next.
  const results = await interleaved(entries, rounds * 3, Math.min(seconds, 2));
  report.targets.push(...growthTargets(names, results, sessions));
}

async function measureMemory(
  report: Report,
  contestant: Contestant,
  request: Request,
  engine: string,
  limitMegabytes: number,
): Promise<void> {
  const points = await mintMany(contestant, request, sessions, (minted) =>
    progress(`memory, ${engine}: ${minted} of ${sessions} minted`),
  );
  report.targets.push(...memoryTarget(engine, points, limitMegabytes));
}

await main();
