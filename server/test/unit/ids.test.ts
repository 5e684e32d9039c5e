import { TypeID } from 'typeid-js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { IdSequence, isId, newId } from '../../src/primitives/ids.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('newId', () => {
  test('returns a TypeID of a version 7 UUID with the current time', () => {
    for (let i = 0; i < 500; i++) {
      const before = Date.now();
      const id = newId('ses');
      const read = TypeID.fromString(id);
      expect(read.getType()).toBe('ses');
      expect(read.toString()).toBe(id);
      const uuid = read.toUUID();
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      const time = Number.parseInt(uuid.replace('-', '').slice(0, 12), 16);
      expect(time).toBeGreaterThanOrEqual(before);
      expect(time).toBeLessThanOrEqual(Date.now() + 1_000);
    }
  });

  test('returns unique ids that sort in the order of creation', () => {
    const ids = Array.from({ length: 50_000 }, () => newId('req'));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('keeps the order when the clock is set back', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    const first = newId('ses');
    vi.setSystemTime(Date.now() - 30_000);
    const second = newId('ses');
    expect(second > first).toBe(true);
  });

  test('makes most of an id random', () => {
    const tails = Array.from({ length: 2_000 }, () => newId('ses').slice(-12));
    expect(new Set(tails).size).toBe(tails.length);
    for (let place = 0; place < 12; place++) {
      expect(new Set(tails.map((tail) => tail[place])).size).toBe(32);
    }
  });
});

describe('isId', () => {
  test('checks the prefix and the format of an id', () => {
    expect(isId('ses', newId('ses'))).toBe(true);
    expect(isId('ses', newId('key'))).toBe(false);
    expect(isId('exp', 'exp_harbor-guide_2')).toBe(true);
    expect(isId('exp', 'exp_')).toBe(false);
    expect(isId('exp', `exp_${'a'.repeat(65)}`)).toBe(false);
    expect(isId('exp', 'exp_a b')).toBe(false);
  });
});

describe('IdSequence', () => {
  test('returns unique TypeIDs that sort in the order of creation, also within a millisecond', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const sequence = new IdSequence('evt');
    const ids = Array.from({ length: 20_000 }, () => sequence.next());
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(TypeID.fromString(ids[0]!).getType()).toBe('evt');
  });

  test('continues after an id of another process, whose clock may be ahead or behind', () => {
    const sequence = new IdSequence('evt');
    const own = sequence.next();
    sequence.skipTo('evt_00000000000000000000000000');
    expect(sequence.next() > own).toBe(true);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    const ahead = new IdSequence('evt').next();
    vi.useRealTimers();
    sequence.skipTo(ahead);
    const ids = Array.from({ length: 10_000 }, () => sequence.next());
    expect([ahead, ...ids].sort()).toEqual([ahead, ...ids]);
  });
});
