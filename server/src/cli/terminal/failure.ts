/** An expected failure: `message` is printed without a stack trace, followed by the lines of `more`. */
export class CliFailure extends Error {
  readonly exitCode: number;
  readonly more: readonly string[];

  constructor(
    message: string,
    options: { exitCode?: 1 | 2; more?: readonly string[]; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'CliFailure';
    this.exitCode = options.exitCode ?? 1;
    this.more = options.more ?? [];
  }
}

/** Ended by Ctrl-C: nothing is printed, and the exit code is the shell's for SIGINT, 128 + 2. */
export class Interrupted extends Error {
  readonly exitCode = 130;
}

/** A usage error: exit code 2. */
export function badUsage(message: string): CliFailure {
  return new CliFailure(message, { exitCode: 2 });
}

/** Ends a command with an exit code after it has printed its result. */
export class ExitWith extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}
