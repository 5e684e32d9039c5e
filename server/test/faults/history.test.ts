import { describe, expect, test } from 'vitest';
import { History, type Operation, type Outcome, type Stored } from './history.ts';

const acknowledged = (sessionId: string): Outcome => ({ kind: 'acknowledged', sessionId });
const refused = (status: number, code: string, retryAfter?: string): Outcome => ({
  kind: 'refused',
  status,
  code,
  ...(retryAfter === undefined ? {} : { retryAfter }),
});
const unavailable = refused(503, 'UNAVAILABLE', '1');
const pending = refused(409, 'IDEMPOTENCY_IN_PROGRESS', '1');
const invalid = refused(400, 'INVALID_REQUEST');
const broken: Outcome = { kind: 'unknown', why: 'ECONNRESET' };

function add(history: History, keyed: boolean, ...outcomes: Outcome[]): Operation {
  const operation = history.begin(keyed);
  for (const outcome of outcomes) answer(operation, outcome);
  return operation;
}

function answer(operation: Operation, outcome: Outcome): void {
  const now = performance.now();
  operation.attempts.push({ sentAt: now, answeredAt: now, outcome });
}

interface True {
  history: History;
  stored: Stored;
  plain: Operation;
  keyed: Operation;
  bad: Operation;
}

/** A history with every kind of response, and a database state that is consistent with it. */
function trueHistory(): True {
  const history = new History();
  const plain = add(history, false, acknowledged('ses_1'));
  const keyed = add(
    history,
    true,
    broken,
    pending,
    unavailable,
    acknowledged('ses_2'),
    acknowledged('ses_2'),
  );
  const bad = add(history, false, invalid);
  const gone = add(history, false, broken);
  const kept = add(history, false, broken);
  add(history, false, unavailable);
  const stored: Stored = {
    sessions: [
      { id: 'ses_1', tag: plain.tag, source: 'server' },
      { id: 'ses_2', tag: keyed.tag, source: 'browser' },
      { id: 'ses_3', tag: kept.tag, source: 'browser' },
    ],
    claims: 1,
    used: 2,
  };
  expect(stored.sessions.some(({ tag }) => tag === gone.tag)).toBe(false);
  return { history, stored, plain, keyed, bad };
}

test('a database that matches every response passes', () => {
  const { history, stored } = trueHistory();
  expect(history.problems(stored)).toEqual([]);
  expect(history.tally()).toEqual({ acknowledged: 3, unknown: 3, 409: 1, 503: 2, 400: 1 });
});

describe('the checker reports', () => {
  const doctored: [string, RegExp, (it: True) => void][] = [
    [
      'a lost launch',
      /^op-0 was lost: ses_1$/,
      ({ stored }) => {
        stored.sessions.shift();
      },
    ],
    [
      'a lost launch of a key, with its record',
      /^op-1 was lost: ses_2$/,
      ({ stored }) => {
        stored.sessions.splice(1, 1);
        Object.assign(stored, { claims: 0, used: 1 });
      },
    ],
    [
      'a launch recorded twice',
      /^op-0 was doubled: ses_1 and ses_9$/,
      ({ stored, plain }) => stored.sessions.push({ id: 'ses_9', tag: plain.tag, source: 'server' }),
    ],
    [
      'a key whose retry made a second session',
      /^op-1 was doubled: ses_2 and ses_9$/,
      ({ stored, keyed }) => stored.sessions.push({ id: 'ses_9', tag: keyed.tag, source: 'server' }),
    ],
    [
      'a key with two acknowledgements that differ',
      /^op-1 was acknowledged as ses_2 and ses_1$/,
      ({ keyed }) => answer(keyed, acknowledged('ses_1')),
    ],
    [
      'one launch returned by two operations',
      /^op-6 was lost: ses_1$/,
      ({ history }) => add(history, false, acknowledged('ses_1')),
    ],
    [
      'a refused request that was recorded',
      /^op-2 was refused, yet there is ses_9$/,
      ({ stored, bad }) => stored.sessions.push({ id: 'ses_9', tag: bad.tag, source: 'server' }),
    ],
    [
      'a recorded mint that got a 503 while there was no fault',
      /^op-5 was refused, yet there is ses_9$/,
      ({ stored }) => stored.sessions.push({ id: 'ses_9', tag: 'op-5', source: 'server' }),
    ],
    [
      'a session without a request',
      /^session ses_9 was never asked for$/,
      ({ stored }) => stored.sessions.push({ id: 'ses_9', tag: null, source: 'server' }),
    ],
    [
      'a key without an outcome',
      /^op-6 was never settled/,
      ({ history }) => add(history, true, broken, unavailable),
    ],
    ['a counter that is too low', /^the quota counts 1 .* there are 2$/, ({ stored }) => stored.used--],
    ['a counter that is too high', /^the quota counts 3 .* there are 2$/, ({ stored }) => stored.used++],
    [
      'an idempotency record too many',
      /^1 keys have a session, but 2 are remembered$/,
      ({ stored }) => stored.claims++,
    ],
    [
      'a 503 without Retry-After',
      /^op-6 was answered UNAVAILABLE without Retry-After$/,
      ({ history }) => add(history, false, refused(503, 'UNAVAILABLE')),
    ],
    [
      'an internal error',
      /^op-6 was answered 500 INTERNAL$/,
      ({ history }) => add(history, false, refused(500, 'INTERNAL')),
    ],
  ];
  test.each(doctored)('%s', (_, complaint, doctor) => {
    const it = trueHistory();
    doctor(it);
    expect(it.history.problems(it.stored)[0]).toMatch(complaint);
  });
});

test('a 503 leaves the outcome open only during a fault', async () => {
  const { history, stored } = trueHistory();
  const during = history.begin(false);
  await history.breaking(async () => answer(during, unavailable));
  stored.sessions.push({ id: 'ses_9', tag: during.tag, source: 'server' });
  expect(history.problems(stored)).toEqual([]);

  const after = add(history, false, unavailable);
  stored.sessions.push({ id: 'ses_10', tag: after.tag, source: 'server' });
  expect(history.problems(stored)).toEqual([`${after.tag} was refused, yet there is ses_10`]);
});
