import { createRequire } from 'node:module';
import { LineWriter } from '@session-launch/process/line-writer';
import pino, { type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '../config/config.ts';
import { isoTime } from '../primitives/iso-time.ts';

/**
 * Writes logs to standard error as JSON, or pretty-printed on a terminal. Headers and bodies are never logged, and anything that looks
 * like a credential (API key, token, idempotency key) is masked.
 */
export function createLog(
  level: LogLevel,
  stream: NodeJS.WriteStream & { fd: number } = process.stderr,
): Logger {
  const destination = stream.isTTY ? forPeople(stream.fd) : jsonLines(stream.fd);
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: Error) => scrubbedError(error) },
      redact: {
        paths: ['authorization', 'headers', 'body', 'key', 'token', 'sessionToken', 'idempotencyKey'],
        censor: '[redacted]',
      },
      hooks: { streamWrite: scrubbed },
    },
    destination,
  );
}

/** Loaded only on a terminal, so that other starts skip it. */
function forPeople(fd: number): DestinationStream {
  const pretty: typeof import('pino-pretty') = createRequire(import.meta.url)('pino-pretty');
  return pretty({
    colorize: true,
    ignore: 'pid,hostname,part',
    translateTime: 'SYS:HH:MM:ss.l',
    destination: fd,
  });
}

/** JSON lines, flushed at exit so that none is lost. */
function jsonLines(fd: number): LineWriter {
  const lines = new LineWriter(
    fd,
    (dropped) =>
      `{"level":"warn","time":"${new Date().toISOString()}","lines":${dropped},"msg":"log lines were dropped: they could not be written"}\n`,
  );
  process.on('exit', () => lines.flushSync());
  return lines;
}

/** Number of log lines that could not be written. */
export function droppedLines(log: Logger): number {
  const destination = destinationOf(log);
  return destination instanceof LineWriter ? destination.dropped : 0;
}

function destinationOf(log: Logger): DestinationStream {
  return (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym]!;
}

/** Writes lines that another process has formatted. */
export function lineSink(log: Logger): (line: string) => void {
  const destination = destinationOf(log);
  return (line) => destination.write(line);
}

/** The fields of a request's log line. */
export interface Answered {
  requestId: string;
  /** From the `traceparent` header; hexadecimal digits. */
  traceId?: string | undefined;
  method: string;
  route: string;
  status: number;
  ms: number;
}

/**
 * Writes the one log line of each request. Formatted by hand for speed: it contains no secret, and only the path of an unknown URL needs
 * escaping.
 */
export function answerLog(log: Logger): (answered: Answered) => void {
  if (!log.isLevelEnabled('info')) return () => undefined;
  const destination = destinationOf(log);
  return ({ requestId, traceId, method, route, status, ms }) =>
    destination.write(
      `{"level":"info","time":"${isoTime(Date.now())}","reqId":"${requestId}",` +
        `${traceId === undefined ? '' : `"traceId":"${traceId}",`}"method":"${method}",` +
        `"route":${JSON.stringify(route)},"status":${status},"ms":${Math.round(ms * 10) / 10},"msg":"answered"}\n`,
    );
}

const credentials =
  /(?:test|live|slo)_[A-Za-z0-9]{16,}|\beyJ[\w-]+\.[\w-]+\.[\w-]+|(postgres(?:ql)?:\/\/)[^\s"]*@/g;

/** Masks API keys, session tokens and database passwords in a text. */
export function scrubbed(text: string): string {
  return text.replace(credentials, (_found, database?: string) =>
    database ? `${database}***@` : '[redacted]',
  );
}

function scrubbedError(error: Error): object {
  const { type, message, stack, code } = pino.stdSerializers.err(error) as unknown as Record<string, string>;
  return {
    type,
    message: withoutValues(message),
    ...(code === undefined ? {} : { code }),
    stack: withoutValues(stack),
  };
}

/** The error of a failed query contains its parameters, which may be personal data; removes them. */
function withoutValues(text: string | undefined): string | undefined {
  return text?.replace(/^params:[\s\S]*?(?=\n {4}at |$(?![\s\S]))/m, 'params: [redacted]');
}
