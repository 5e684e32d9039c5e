import { parseArgs } from 'node:util';

export interface BenchOptions {
  rounds: number;
  seconds: number;
  sessions: number;
  write: boolean;
  /** Measure only connects and reports of sessions. */
  lifecycle?: true;
  /** Measure the reads of the admin API. */
  admin?: true;
  /** Compare an installed PostgreSQL with default settings with one without just-in-time compilation. */
  stock?: true;
  /** Measure the figures that the model of docs/scale.md is based on. */
  scale?: true;
  /** Measure only conversations and their effect on mints. */
  conversation?: { turns: number };
  /** Folder of another build to compare with. */
  against?: string;
  /** Folder of another build whose connects and ends are compared with those of this one. */
  connects?: string;
}

export const usage = `npm run bench [-- OPTIONS]

Measures this build beside bare Fastify and what a team would write instead. Takes about 40 minutes with its defaults.

  --rounds N       interleaved rounds (5)
  --seconds N      seconds for each scenario in a round (5)
  --sessions N     sessions stored for the growth check, and minted for the memory check (1000000; 0 skips both)
  --no-write       print only; leave results.md and results.svg alone

npm run bench -- --against DIR [OPTIONS]

Measures the mints of this build beside those of the build in DIR: another checkout of this repository, with its own
node_modules. Each build has databases of its own, and is started again for every round. Takes about 20 minutes with its defaults; nothing
is written.

  --rounds N       interleaved rounds (20)
  --seconds N      seconds for each scenario in a round (2)

It ends with 0 when every median of this build is at least 0.99 of the other's throughput and at most 1.01 of its CPU time, with 1 when
one is not.

npm run bench -- --lifecycle [OPTIONS]

Measures what runtimes call: mints at half of their maximum with and without a thousand active sessions that are reported, and
connects and reports with few and with many sessions stored. Takes about 10 minutes with its defaults; nothing is written.

  --rounds N       interleaved rounds (7)
  --seconds N      seconds of mints in a round (15)
  --sessions N     sessions stored, a hundredth of them active (1000000)

It ends with 0 when every target is reached.

npm run bench -- --connects DIR [OPTIONS]

Measures connects and ends of sessions of one project with concurrentSessions, through two processes and 128 connections, of this build
beside the build in DIR. Takes about 2 minutes with its defaults; nothing is written.

  --rounds N       interleaved rounds (5)
  --sessions N     sessions that are connected and ended in a round (4000)

It ends with 0 when this build connects and ends at least 4 times as many sessions a second, and neither the p99 of one connect alone nor the
CPU time for a session is more than a tenth above the other's.

npm run bench -- --admin [OPTIONS]

Measures every read of the admin API with many sessions stored, on PostgreSQL and, with a twentieth of the sessions, on the embedded engine;
and mints at half of their maximum with and without ten operators who read all screens. Takes about an hour, most of it to store the sessions,
and 25 GB of disk with its defaults; with --sessions 100000 --rounds 1 --seconds 5 some minutes. Nothing is written.

  --rounds N       interleaved rounds of mints (7)
  --seconds N      seconds of mints in a round (15)
  --sessions N     sessions stored on PostgreSQL (20000000)

It ends with 0 when the p95 of each read is at most 300 ms, and the p99 of mints beside the operators at most 1.25 times (PostgreSQL) and 2 times
(embedded) the one without them; with 1 when one is not.

npm run bench -- --stock [OPTIONS]

Measures mints, connects, reports, ends, deletions and reads of the admin API on an installed PostgreSQL with its default settings, beside a
database with just-in-time compilation off. Takes about 2 minutes with its defaults; nothing is written.

  --rounds N       interleaved rounds (15)
  --sessions N     sessions stored (200000)

It ends with 0 when every ratio is at most 1.1.

npm run bench -- --scale [OPTIONS]

Measures the figures of docs/scale.md: costs of mints and conversations, bytes of a stored session, and mints beside the deletion of a quarter
of the stored sessions, with the table partitioned by month and not. Takes about four hours, most of them for the deletion, and 40 GB of
disk with its defaults; with --sessions 40000 --rounds 1 --seconds 5 a few minutes. Results go to scale.md and scale.json, too.

  --rounds N       interleaved rounds (7)
  --seconds N      seconds of mints in a round (30)
  --sessions N     sessions stored in each table (20000000)
  --no-write       print only

It ends with 0 when every target is reached.

npm run bench -- conversation [OPTIONS]

Measures conversations: the time to an answer and to silence after an interruption, what the runtime costs, and its effect on mints. Takes
about 10 minutes with its defaults; results go to conversation.md and conversation.svg, too.

  --rounds N       rounds (5)
  --turns N        typed turns in a round (40)
  --seconds N      seconds of streaming, and of mints, in a round (10)
  --quick          one small round of everything, in a few minutes; writes nothing
  --no-write       print only

It ends with 0 when every target is reached.

  --help           this text

Progress goes to stderr, results to stdout. Exit status 2: an option cannot be used.`;

export class UsageError extends Error {}

/** The modes that exclude each other, with their usual values. A run without a mode compares this build with other programs. */
const modes = {
  admin: { rounds: 7, seconds: 15, sessions: 20_000_000, leastSessions: 4_000, writes: false },
  scale: { rounds: 7, seconds: 30, sessions: 20_000_000, leastSessions: 4_000, writes: true },
  stock: { rounds: 15, seconds: 0, sessions: 200_000, leastSessions: 4_000, writes: false },
  lifecycle: { rounds: 7, seconds: 15, sessions: 1_000_000, leastSessions: 1_000, writes: false },
  connects: { rounds: 5, seconds: 0, sessions: 4_000, leastSessions: 1_000, writes: false },
  against: { rounds: 20, seconds: 2, sessions: 0, leastSessions: 0, writes: false },
} as const;
const comparison = { rounds: 5, seconds: 5, sessions: 1_000_000, leastSessions: 0, writes: true };

/** Parses the options of a run, or returns `help`. Throws a UsageError that describes the problem. */
export function readOptions(args: string[]): BenchOptions | 'help' {
  const values = parse(args);
  if (values.help) return 'help';
  if (values.subject !== undefined) return conversationOptions(values);
  const [mode, more] = (Object.keys(modes) as (keyof typeof modes)[]).filter(
    (name) => values[name] !== undefined,
  );
  if (more !== undefined)
    throw new UsageError(
      `${Object.keys(modes)
        .map((name) => `--${name}`)
        .join(', ')} exclude each other`,
    );
  for (const name of ['against', 'connects'] as const)
    if (values[name] === '') throw new UsageError(`--${name} needs a folder`);
  const { leastSessions, writes, ...usual } = mode === undefined ? comparison : modes[mode];
  const read = (name: keyof typeof usual, least: number) =>
    values[name] === undefined ? usual[name] : whole(`--${name}`, values[name], least);
  return {
    rounds: read('rounds', 1),
    seconds: read('seconds', 1),
    sessions: read('sessions', leastSessions),
    write: writes && !values['no-write'],
    ...(mode && { [mode]: values[mode] }),
  };
}

function conversationOptions(values: ReturnType<typeof parse>): BenchOptions {
  if (values.subject !== 'conversation') throw new UsageError(`there is no ${values.subject} to measure`);
  const usual = values.quick ? { rounds: 1, turns: 10, seconds: 3 } : { rounds: 5, turns: 40, seconds: 10 };
  const read = (name: keyof typeof usual) =>
    values[name] === undefined ? usual[name] : whole(`--${name}`, values[name], 1);
  return {
    rounds: read('rounds'),
    seconds: read('seconds'),
    sessions: 0,
    write: !values['no-write'] && !values.quick,
    conversation: { turns: read('turns') },
  };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        rounds: text,
        seconds: text,
        sessions: text,
        against: text,
        connects: text,
        turns: text,
        lifecycle: flag,
        admin: flag,
        scale: flag,
        stock: flag,
        quick: flag,
        'no-write': flag,
        help: flag,
      },
    });
    const [subject, ...more] = positionals;
    if (more.length > 0) throw new UsageError(`${more.join(' ')} is one word too many`);
    return { ...values, subject };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}

function whole(name: string, text: string, least: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`${name} is a whole number of at least ${least}, not ${text}`);
}
