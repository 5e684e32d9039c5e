import { parseArgs } from 'node:util';

export type Engine = 'postgres' | 'embedded';

export interface SoakOptions {
  minutes: number;
  engines: Engine[];
  connections: number;
  /** Requests per second over all connections; absent: each connection sends its next request on receipt of the response. */
  rate?: number;
  out?: string;
}

export const usage = `npm run soak -- --minutes N [OPTIONS]

Mixed traffic on a service in a process of its own, for as long as you like, and a report of what drifted. Ctrl-C ends it
early, with the report so far.

  --minutes N        how long, for each engine; parts of a minute are fine (0.1)
  --engine E         postgres, embedded or both, one after the other (postgres)
  --connections C    how many clients ask at the same time (8)
  --rate R           requests a second, all together; without it every client asks as soon as it has its answer
  --out FILE         writes the report's tables to FILE, too
  --help             this text

It ends with 0 when every answer was as expected and every acknowledged launch is in the database, with 1 when not, with 2
when an option cannot be used.`;

export class UsageError extends Error {}

/** Parses the options of a run, or returns `help`. Throws a UsageError that describes the problem. */
export function readOptions(args: string[]): SoakOptions | 'help' {
  const values = parse(args);
  if (values.help) return 'help';
  if (values.minutes === undefined) throw new UsageError('--minutes is missing');
  const engine = values.engine ?? 'postgres';
  if (!['postgres', 'embedded', 'both'].includes(engine)) {
    throw new UsageError(`--engine is postgres, embedded or both, not ${engine}`);
  }
  const connections = positive('--connections', values.connections ?? '8', 1_000);
  if (!Number.isInteger(connections)) throw new UsageError('--connections is a whole number');
  return {
    minutes: positive('--minutes', values.minutes, 7 * 24 * 60),
    engines: engine === 'both' ? ['postgres', 'embedded'] : [engine as Engine],
    connections,
    ...(values.rate === undefined ? {} : { rate: positive('--rate', values.rate, 100_000) }),
    ...(values.out === undefined ? {} : { out: values.out }),
  };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args,
      options: {
        minutes: text,
        engine: text,
        connections: text,
        rate: text,
        out: text,
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function positive(name: string, text: string, most: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value > 0 && value <= most) return value;
  throw new UsageError(`${name} is a number above 0 and at most ${most}, not ${text}`);
}
