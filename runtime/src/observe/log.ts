import pino, { type Logger } from 'pino';

export type { Logger } from 'pino';

const tokens = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** Logs go to standard error, as JSON; on a terminal as lines for people. What people say is in none but those of level trace. */
export async function createLog(level: string): Promise<Logger> {
  const destination = process.stderr.isTTY ? await forPeople() : pino.destination({ dest: 2, sync: true });
  return pino(
    {
      level,
      base: { part: 'runtime' },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: (line) => line.replace(tokens, '[redacted]') },
    },
    destination,
  );
}

/** Loaded only where there are any. */
async function forPeople() {
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    colorize: true,
    ignore: 'pid,hostname,part',
    translateTime: 'SYS:HH:MM:ss.l',
    destination: 2,
  });
}
