/** An error with SQLSTATE 57P03 (cannot connect now): callers treat it as an outage in which the statement was not sent. */
export function outage(message: string): Error {
  return Object.assign(new Error(message), { code: '57P03' });
}
