import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toApiError } from '../../src/http/listener/error-handler.ts';
import { LookUps } from '../../src/store/cache/look-ups.ts';

interface Row {
  name: string;
  version: number;
}

/** A fake table whose queries resolve when the test releases them. */
class Table {
  readonly rows = new Map<string, Row>();
  readonly asked: string[][] = [];
  readonly #waiting: (() => void)[] = [];
  held = false;

  find = async (names: string[]): Promise<Map<string, Row>> => {
    this.asked.push(names);
    if (this.held) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return new Map(names.flatMap((name) => (this.rows.has(name) ? [[name, this.rows.get(name)!]] : [])));
  };

  put(name: string, version = 1): void {
    this.rows.set(name, { name, version });
  }

  release(): void {
    this.held = false;
    for (const go of this.#waiting.splice(0)) go();
  }
}

let table: Table;
let lookUps: LookUps<Row>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  table = new Table();
  lookUps = new LookUps(10, table.find);
});
afterEach(() => void vi.useRealTimers());

const network = (name: string) => ({ network: () => name });

test('names requested in one tick, or during a query, are looked up together', async () => {
  table.put('a');
  table.held = true;
  const first = ['a', 'b', 'a'].map((name) => lookUps.get(name));
  await nextTurn();
  const second = ['c', 'd', 'b'].map((name) => lookUps.get(name));
  table.release();
  expect(await Promise.all(first)).toEqual([{ name: 'a', version: 1 }, null, { name: 'a', version: 1 }]);
  expect(await Promise.all(second)).toEqual([null, null, null]);
  expect(table.asked).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
});

test('a result is cached for four seconds, whether or not there is a row', async () => {
  table.put('a');
  await Promise.all([lookUps.get('a'), lookUps.get('b')]);
  vi.advanceTimersByTime(3_999);
  expect([lookUps.recall('a'), lookUps.recall('b')]).toEqual([{ name: 'a', version: 1 }, null]);
  expect([lookUps.get('a'), lookUps.get('b')]).toEqual([{ name: 'a', version: 1 }, null]);
  vi.advanceTimersByTime(1);
  expect([lookUps.recall('a'), lookUps.recall('b')]).toEqual([undefined, undefined]);
  expect(table.asked).toHaveLength(1);
});

test('a result that took longer than that is rejected', async () => {
  table.held = true;
  const asked = Promise.resolve(lookUps.get('a'));
  asked.catch(() => undefined);
  await nextTurn();
  vi.advanceTimersByTime(4_001);
  table.release();
  expect(toApiError(await asked.catch((error) => error))).toMatchObject({ code: 'UNAVAILABLE' });
  expect(lookUps.recall('a')).toBeUndefined();
});

test('after a change the named rows and all missing ones are looked up again', async () => {
  table.put('a');
  table.put('b');
  await Promise.all(['a', 'b', 'c'].map((name) => lookUps.get(name)));
  table.put('a', 2);
  table.put('c');
  lookUps.forget(({ name }) => name === 'a');
  expect(lookUps.recall('b')).toEqual({ name: 'b', version: 1 });
  expect(await lookUps.get('a')).toEqual({ name: 'a', version: 2 });
  expect(await lookUps.get('c')).toEqual({ name: 'c', version: 1 });
});

test('a result that was in flight during a change is not cached', async () => {
  table.put('a');
  table.held = true;
  const before = lookUps.get('a');
  await nextTurn();
  lookUps.forget();
  table.release();
  await before;
  expect(lookUps.recall('a')).toBeUndefined();
});

test('a deleted row is returned as null', async () => {
  table.put('a');
  await lookUps.get('a');
  table.rows.clear();
  lookUps.forget();
  expect(await lookUps.get('a')).toBeNull();
  expect(lookUps.recall('a')).toBeNull();
});

test('missing names do not evict existing rows', async () => {
  for (let i = 0; i < 10; i++) table.put(`row ${i}`);
  for (let i = 0; i < 10; i++) await lookUps.get(`row ${i}`);
  for (let i = 0; i < 1_000; i++) await lookUps.get(`invented ${i}`);
  for (let i = 0; i < 10; i++) expect(lookUps.recall(`row ${i}`)).toEqual({ name: `row ${i}`, version: 1 });
});

test('one network may have 64 look-ups of new names in flight; other networks and existing rows do not wait', async () => {
  table.put('known');
  await lookUps.get('known', network('A'));
  vi.advanceTimersByTime(5_000);
  table.held = true;
  const invented = Array.from({ length: 70 }, (_, i) =>
    Promise.resolve(lookUps.get(`invented ${i}`, network('A'))).then(
      () => 'looked up',
      (error: Error) => {
        const { code, headers, fromUnknownCaller } = toApiError(error);
        return `${code} ${headers['Retry-After']} ${fromUnknownCaller}`;
      },
    ),
  );
  const others = lookUps.get('invented by B', network('B'));
  const shared = lookUps.get('invented 3', network('A'));
  const known = lookUps.get('known', network('A'));
  await nextTurn();
  // The known row is queried separately.
  expect(table.asked.slice(1).map((names) => names.length)).toEqual([65, 1]);
  expect(lookUps.counts.refused).toBe(6);
  table.release();
  expect(await Promise.all([others, shared, known])).toEqual([null, null, { name: 'known', version: 1 }]);
  expect((await Promise.all(invented)).reduce(tally, {})).toEqual({
    'looked up': 64,
    'UNAVAILABLE 1 true': 6,
  });
  // All slots are free again.
  table.held = true;
  const again = Array.from({ length: 64 }, (_, i) => lookUps.get(`another ${i}`, network('A')));
  await nextTurn();
  table.release();
  expect(await Promise.all(again)).toEqual(new Array(64).fill(null));
});

test('failed look-ups free their slots', async () => {
  let fails = true;
  const failing = new LookUps<Row>(10, async () => {
    if (fails) throw new Error('away');
    return new Map();
  });
  const ask = () =>
    Promise.allSettled(Array.from({ length: 64 }, (_, i) => failing.get(`invented ${i}`, network('A'))));
  expect((await ask()).every(({ status }) => status === 'rejected')).toBe(true);
  fails = false;
  expect((await ask()).every(({ status }) => status === 'fulfilled')).toBe(true);
  expect(failing.counts.refused).toBe(0);
});

test('the finder receives the previous rows', async () => {
  const told: unknown[] = [];
  const telling = new LookUps<string>(10, async (names, before) => {
    told.push(before);
    return new Map(names.filter((name) => name !== 'none').map((name) => [name, `of ${name}`]));
  });
  await Promise.all([telling.get('a'), telling.get('none')]);
  telling.forget();
  await Promise.all([telling.get('a'), telling.get('none')]);
  expect(told).toEqual([[undefined, undefined], ['of a'], [undefined]]);
});

function tally(counts: Record<string, number>, what: string): Record<string, number> {
  return { ...counts, [what]: (counts[what] ?? 0) + 1 };
}

test('rows with sizes are limited in total; the least recently used ones are evicted and looked up again', async () => {
  const sized = new LookUps(10, table.find, { maxSize: 100, sizeOf: ({ version }) => version });
  for (const name of ['a', 'b', 'c']) {
    table.put(name, 40);
    await sized.get(name);
  }
  expect(sized.recall('a')).toBeUndefined();
  expect(['b', 'c'].map((name) => sized.recall(name)?.version)).toEqual([40, 40]);
  table.put('huge', 101);
  expect(await sized.get('huge')).toEqual({ name: 'huge', version: 101 });
  expect(sized.recall('huge')).toBeUndefined();
  expect(sized.recall('c')?.version).toBe(40);
});

test('an expired row with a size is removed when another one is cached, and its name still counts as known', async () => {
  const before: unknown[] = [];
  const find = (names: string[], cached: unknown[]) => {
    before.push(...cached);
    return table.find(names);
  };
  const sized = new LookUps<Row>(10, find, { maxSize: 100, sizeOf: () => 1 });
  table.put('a');
  table.put('b');
  await sized.get('a');
  vi.advanceTimersByTime(4001);
  await sized.get('b');
  before.length = 0;

  // More look-ups than one network may have in flight: a known name is not counted among them.
  table.held = true;
  const invented = Array.from({ length: 64 }, (_, n) => sized.get(`x${n}`, network('n')));
  const known = sized.get('a', network('n'));
  await expect(sized.get('y', network('n'))).rejects.toThrow('too many look-ups');
  table.release();
  expect(await known).toEqual({ name: 'a', version: 1 });
  await Promise.all(invented);
  // The row was no longer cached.
  expect(new Set(before)).toEqual(new Set([undefined]));
});
