import { expect, test } from 'vitest';
import { TakesNoWrites, WriteHealth } from '../../src/store/write-health.ts';

const failure = (code: string) => Object.assign(new Error(code), { code, severity: 'ERROR' });

/** A fake database with configurable responses to queries and write rehearsals. */
function database(answers: { readOnly?: boolean; rehearsal?: string } = {}) {
  const asked: string[] = [];
  const run = async (text: string) => {
    asked.push(text);
    if (!text.includes('INSERT')) return [{ read_only: answers.readOnly ?? false }];
    // A rehearsal always ends with an error, so that it is rolled back.
    throw failure(answers.rehearsal ?? 'SLW01');
  };
  return { asked, run, answers };
}

const refused = (health: WriteHealth, code: string) =>
  expect(health.note(Promise.reject(failure(code)))).rejects.toThrow(code);

test('while writes succeed, one query is sent and nothing is written', async () => {
  const health = new WriteHealth();
  const { asked, run } = database();
  expect(await health.note(Promise.resolve('written'))).toBe('written');
  await health.check(run);
  expect(asked).toHaveLength(1);
  expect(asked[0]).not.toMatch(/INSERT/);
});

test('a read-only database is reported, with or without an attempted write', async () => {
  const health = new WriteHealth();
  const readOnly = database({ readOnly: true });
  await expect(health.check(readOnly.run)).rejects.toThrow(TakesNoWrites);
  readOnly.answers.readOnly = false;
  await health.check(readOnly.run);
});

test('a refused write is reported until a trial write succeeds', async () => {
  const health = new WriteHealth();
  const full = database({ rehearsal: '53100' });
  await refused(health, '53100');
  for (let n = 0; n < 3; n++) await expect(health.check(full.run)).rejects.toThrow(TakesNoWrites);
  // A write that inserted nothing does not prove that there is free space.
  await health.note(Promise.resolve());
  await expect(health.check(full.run)).rejects.toThrow(TakesNoWrites);

  full.answers.rehearsal = 'SLW01';
  await health.check(full.run);
  full.asked.length = 0;
  await health.check(full.run);
  expect(full.asked).toHaveLength(1);
});

test('a trial write that is interrupted is not a verdict on writes', async () => {
  const health = new WriteHealth();
  await refused(health, '25006');
  const lost = health.check(database({ rehearsal: '57P01' }).run);
  await expect(lost).rejects.toThrow('57P01');
  await expect(lost).rejects.not.toBeInstanceOf(TakesNoWrites);
});

test.each(['23505', '40001', '57014', '22021'])(
  'a write that fails with %s is an error of the write, not of the database',
  async (code) => {
    const health = new WriteHealth();
    const { asked, run } = database();
    await refused(health, code);
    await health.check(run);
    expect(asked).toHaveLength(1);
  },
);
