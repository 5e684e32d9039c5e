import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';

export type { Logger } from 'pino';

const tokens = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** Logs go to standard error, as JSON; on a terminal as lines for people. What people say is in none but those of level trace. */
export function createLog(level: string): Logger {
  const destination = process.stderr.isTTY
    ? pretty({ colorize: true, ignore: 'pid,hostname,part', translateTime: 'SYS:HH:MM:ss.l', destination: 2 })
    : pino.destination({ dest: 2, sync: true });
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
