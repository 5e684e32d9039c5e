/** What a check of `doctor` found, and what to do about it. */
export interface Finding {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  todo?: string;
}

/** The three outcomes of one named check. A warning or a failure always says what to do. */
export function findingsOf(check: string) {
  return {
    ok: (message: string): Finding => ({ check, status: 'ok', message }),
    warn: (message: string, todo: string): Finding => ({ check, status: 'warn', message, todo }),
    fail: (message: string, todo: string): Finding => ({ check, status: 'fail', message, todo }),
  };
}
