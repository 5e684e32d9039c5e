import { LineWriter } from '@session-launch/process/line-writer';
import pino, { type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

const tokens = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** Logs to standard error: JSON, or formatted lines on a terminal. Conversation text is logged at level trace only. */
export async function createLog(level: string): Promise<Logger> {
  const destination = process.stderr.isTTY ? await forPeople() : jsonLines();
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

/** The service shares this descriptor: a stalled reader must not block the event loop. */
function jsonLines(): LineWriter {
  const lines = new LineWriter(
    2,
    (dropped) =>
      `{"level":"warn","time":"${new Date().toISOString()}","part":"runtime","lines":${dropped},"msg":"log lines were dropped: they could not be written"}\n`,
  );
  process.on('exit', () => lines.flushSync());
  return lines;
}

/** Imported lazily: only needed on a terminal. */
async function forPeople(): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    colorize: true,
    ignore: 'pid,hostname,part',
    translateTime: 'SYS:HH:MM:ss.l',
    destination: 2,
  });
}
