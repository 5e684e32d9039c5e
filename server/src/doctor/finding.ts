/** The result of a check of `doctor`, and how to fix the problem. */
export interface Finding {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  todo?: string;
}

/** Constructors for the results of one check. Warnings and failures always include a fix. */
export function findingsOf(check: string) {
  return {
    ok: (message: string): Finding => ({ check, status: 'ok', message }),
    warn: (message: string, todo: string): Finding => ({ check, status: 'warn', message, todo }),
    fail: (message: string, todo: string): Finding => ({ check, status: 'fail', message, todo }),
  };
}
