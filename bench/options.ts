import { parseArgs } from 'node:util';

export interface BenchOptions {
  rounds: number;
  seconds: number;
  sessions: number;
  write: boolean;
  /** Measure only connects and reports of sessions. */
  lifecycle?: true;
  /** Measure the figures that the model of docs/scale.md is based on. */
  scale?: true;
  /** Measure only conversations and their effect on mints. */
  conversation?: { turns: number; clicks: number };
  /** Folder of another build to compare with. */
  against?: string;
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

It ends with 0 when every median of this build is at least 0.97 of the other's throughput, with 1 when one is not.

npm run bench -- --lifecycle [OPTIONS]

Measures what runtimes call: mints at half of their maximum with and without a thousand active sessions that are reported, and
connects and reports with few and with many sessions stored. Takes about 10 minutes with its defaults; nothing is written.

  --rounds N       interleaved rounds (7)
  --seconds N      seconds of mints in a round (15)
  --sessions N     sessions stored, a hundredth of them active (1000000)

It ends with 0 when every target is reached.

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

Measures conversations: how soon one is answered and silent, what the runtime costs, what mints notice of it, and how soon it is back when
it is killed. Takes about 20 minutes with its defaults; results go to conversation.md and conversation.svg, too.

  --rounds N       rounds (5)
  --turns N        typed turns in a round (40)
  --clicks N       presses on Start in a round, in a real Chromium (30)
  --seconds N      seconds of streaming, and of mints, in a round (10)
  --quick          one small round of everything, in a few minutes; writes nothing
  --no-write       print only

It ends with 0 when every target is reached.

  --help           this text

Progress goes to stderr, results to stdout. Exit status 2: an option cannot be used.`;

export class UsageError extends Error {}

/** Parses the options of a run, or returns `help`. Throws a UsageError that describes the problem. */
export function readOptions(args: string[]): BenchOptions | 'help' {
  const values = parse(args);
  if (values.help) return 'help';
  const { against } = values;
  if (values.subject !== undefined) return conversationOptions(values);
  if (values.scale) {
    if (against !== undefined || values.lifecycle)
      throw new UsageError('--scale, --lifecycle and --against exclude each other');
    return {
      rounds: whole('--rounds', values.rounds ?? '7', 1),
      seconds: whole('--seconds', values.seconds ?? '30', 1),
      sessions: whole('--sessions', values.sessions ?? '20000000', 4_000),
      write: !values['no-write'],
      scale: true,
    };
  }
  if (values.lifecycle) {
    if (against !== undefined) throw new UsageError('--lifecycle and --against exclude each other');
    return {
      rounds: whole('--rounds', values.rounds ?? '7', 1),
      seconds: whole('--seconds', values.seconds ?? '15', 1),
      sessions: whole('--sessions', values.sessions ?? '1000000', 1_000),
      write: false,
      lifecycle: true,
    };
  }
  if (against === undefined) {
    return {
      rounds: whole('--rounds', values.rounds ?? '5', 1),
      seconds: whole('--seconds', values.seconds ?? '5', 1),
      sessions: whole('--sessions', values.sessions ?? '1000000', 0),
      write: !values['no-write'],
    };
  }
  if (against === '') throw new UsageError('--against needs a folder');
  return {
    rounds: whole('--rounds', values.rounds ?? '20', 1),
    seconds: whole('--seconds', values.seconds ?? '2', 1),
    sessions: 0,
    write: false,
    against,
  };
}

function conversationOptions(values: ReturnType<typeof parse>): BenchOptions {
  if (values.subject !== 'conversation') throw new UsageError(`there is no ${values.subject} to measure`);
  const small = values.quick;
  const read = (name: 'rounds' | 'turns' | 'clicks' | 'seconds', usual: string, quick: string) =>
    whole(`--${name}`, values[name] ?? (small ? quick : usual), 1);
  return {
    rounds: read('rounds', '5', '1'),
    seconds: read('seconds', '10', '3'),
    sessions: 0,
    write: !values['no-write'] && !small,
    conversation: { turns: read('turns', '40', '10'), clicks: read('clicks', '30', '3') },
  };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        rounds: text,
        seconds: text,
        sessions: text,
        against: text,
        turns: text,
        clicks: text,
        lifecycle: flag,
        scale: flag,
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
