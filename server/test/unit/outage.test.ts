import { expect, test } from 'vitest';
import {
  isNeverSent,
  isOutage,
  isReadOnly,
  isRefusedWrite,
  isRolledBack,
  isUnreachable,
  NeverSent,
} from '../../src/store/database-errors.ts';

const server = (code: string, severity = 'ERROR') => Object.assign(new Error(code), { code, severity });
const network = (code: string) => Object.assign(new Error(code), { code });
const lost = new Error('Connection terminated unexpectedly');

/** How the service classifies an error. */
const verdicts = (error: unknown) => ({
  isOutage: isOutage(error),
  isNeverSent: isNeverSent(error),
  isRolledBack: isRolledBack(error),
  isRefusedWrite: isRefusedWrite(error),
});
const none = { isOutage: false, isNeverSent: false, isRolledBack: false, isRefusedWrite: false };

test.each([
  ['a connection that could not be opened', new NeverSent(lost), { isOutage: true, isNeverSent: true }],
  [
    'a wrong password when connecting',
    new NeverSent(server('28P01', 'FATAL')),
    { isOutage: true, isNeverSent: true, isRolledBack: true },
  ],
  [
    'the same, as the cause of another error',
    new Error('it failed', { cause: new NeverSent(lost) }),
    { isOutage: true, isNeverSent: true },
  ],
  // The same errors after a statement was sent leave its outcome unknown.
  ['a connection lost during a statement', lost, { isOutage: true }],
  ['a reset during a statement', network('ECONNRESET'), { isOutage: true }],
  ['a refusal during a statement', network('ECONNREFUSED'), { isOutage: true }],
  [
    'a dead connection',
    new Error('the database has stopped responding', { cause: lost }),
    { isOutage: true },
  ],
  ['a terminated backend', server('57P01', 'FATAL'), { isOutage: true }],
  ['a database that is not ready', server('57P03', 'FATAL'), { isOutage: true, isNeverSent: true }],
  ['a read-only database', server('25006'), { isOutage: true, isRolledBack: true, isRefusedWrite: true }],
  ['a full disk', server('53100'), { isOutage: true, isRolledBack: true, isRefusedWrite: true }],
  ['a broken disk', server('58030'), { isOutage: true, isRolledBack: true, isRefusedWrite: true }],
  // No connection is available, which says nothing about whether writes would succeed.
  [
    'too many connections',
    new NeverSent(server('53300', 'FATAL')),
    { isOutage: true, isNeverSent: true, isRolledBack: true },
  ],
  // The errors of the embedded engine have no severity.
  ['an embedded engine that restarts or has ended', network('57P03'), { isOutage: true, isNeverSent: true }],
  ['a statement during which the embedded engine restarted', network('08006'), { isOutage: true }],
  ['a statement that the embedded engine did not answer in time', network('57014'), { isOutage: true }],
  ['a statement that timed out', server('57014'), { isOutage: true, isRolledBack: true }],
  ['a wrong statement', server('42601'), { isRolledBack: true }],
  ['an error of the program', new TypeError('x is not a function'), {}],
])('%s', (_what, error, expected) => {
  expect(verdicts(error)).toEqual({ ...none, ...expected });
});

test('read-only is distinguished from a full disk', () => {
  expect(isReadOnly(server('25006'))).toBe(true);
  expect(isReadOnly(server('53100'))).toBe(false);
});

test.each([
  ['a refused connection', network('ECONNREFUSED')],
  ['a refusal at every address of a name', new AggregateError([network('ECONNREFUSED')])],
  ['an unknown host name', network('ENOTFOUND')],
  ['a name server that does not answer', network('EAI_AGAIN')],
  ['a reset', network('ECONNRESET')],
  ['a missing socket file', Object.assign(network('ENOENT'), { syscall: 'connect' })],
  ['a server that is starting up', server('57P03', 'FATAL')],
  ['a server that is shutting down', server('57P01', 'FATAL')],
  ['too many connections', server('53300', 'FATAL')],
  ['a connection that timed out', new Error('timeout expired')],
  [
    'a connection of a pool that timed out',
    new NeverSent(new Error('timeout exceeded when trying to connect')),
  ],
  ['a lost connection, as the cause of another error', new Error('no start', { cause: lost })],
])('a start waits after %s', (_what, error) => {
  expect(isUnreachable(error)).toBe(true);
});

test.each([
  ['a wrong password', server('28P01', 'FATAL')],
  ['a role that is not admitted', new NeverSent(server('28000', 'FATAL'))],
  ['an unknown database', server('3D000', 'FATAL')],
  ['a setting that a pooler refuses', server('08P01', 'FATAL')],
  ['a server without TLS', new Error('The server does not support SSL connections')],
  ['a certificate that is not trusted', network('DEPTH_ZERO_SELF_SIGNED_CERT')],
  ['a missing certificate file', Object.assign(network('ENOENT'), { syscall: 'open' })],
  ['a missing privilege', server('42501')],
  ['a table in use', server('55P03')],
  ['an error of the program', new TypeError('x is not a function')],
])('a start does not wait after %s', (_what, error) => {
  expect(isUnreachable(error)).toBe(false);
});
