import { expect, test } from 'vitest';
import {
  isNeverSent,
  isOutage,
  isReadOnly,
  isRefusedWrite,
  isRolledBack,
  NeverSent,
} from '../../src/store/database-errors.ts';

const server = (code: string, severity = 'ERROR') => Object.assign(new Error(code), { code, severity });
const network = (code: string) => Object.assign(new Error(code), { code });
const lost = new Error('Connection terminated unexpectedly');

/** What the service has to know of an error, by the error. */
const verdicts = (error: unknown) => ({
  isOutage: isOutage(error),
  isNeverSent: isNeverSent(error),
  isRolledBack: isRolledBack(error),
  isRefusedWrite: isRefusedWrite(error),
});
const none = { isOutage: false, isNeverSent: false, isRolledBack: false, isRefusedWrite: false };

test.each([
  ['a connection that could not be had', new NeverSent(lost), { isOutage: true, isNeverSent: true }],
  [
    'a wrong password when connecting',
    new NeverSent(server('28P01', 'FATAL')),
    { isOutage: true, isNeverSent: true, isRolledBack: true },
  ],
  [
    'the same, under an error of the query builder',
    new Error('Failed query', { cause: new NeverSent(lost) }),
    { isOutage: true, isNeverSent: true },
  ],
  // The same words after a statement was sent leave open what became of it.
  ['a connection lost under a statement', lost, { isOutage: true }],
  ['a reset under a statement', network('ECONNRESET'), { isOutage: true }],
  ['a refusal under a statement', network('ECONNREFUSED'), { isOutage: true }],
  [
    'a silent connection',
    new Error('the database has stopped answering', { cause: lost }),
    { isOutage: true },
  ],
  ['a backend that was told to go', server('57P01', 'FATAL'), { isOutage: true }],
  ['a database that is not ready', server('57P03', 'FATAL'), { isOutage: true, isNeverSent: true }],
  ['a read-only database', server('25006'), { isOutage: true, isRolledBack: true, isRefusedWrite: true }],
  ['a full disk', server('53100'), { isOutage: true, isRolledBack: true, isRefusedWrite: true }],
  ['a broken disk', server('58030'), { isOutage: true, isRolledBack: true, isRefusedWrite: true }],
  // No connection is left: nothing is known of writing.
  [
    'too many connections',
    new NeverSent(server('53300', 'FATAL')),
    { isOutage: true, isNeverSent: true, isRolledBack: true },
  ],
  ['a statement that took too long', server('57014'), { isOutage: true, isRolledBack: true }],
  ['a wrong statement', server('42601'), { isRolledBack: true }],
  ['an error of the program', new TypeError('x is not a function'), {}],
])('%s', (_what, error, expected) => {
  expect(verdicts(error)).toEqual({ ...none, ...expected });
});

test('read-only is told from full', () => {
  expect(isReadOnly(server('25006'))).toBe(true);
  expect(isReadOnly(server('53100'))).toBe(false);
});
