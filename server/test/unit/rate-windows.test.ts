import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryWindows } from '../../src/limits/rate-windows.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const windows = () => new MemoryWindows(60);
const pass = async (window: MemoryWindows, key: string, limit = 2) => {
  const [place] = await window.spend([{ key, limit }]);
  return `${place!.points} of ${limit}, ${place!.leftMs / 1000} s left`;
};

test('a window lasts a minute from its first mint, for any start within a generation', async () => {
  for (const began of [0, 1, 30_000, 59_999, 60_000, 119_999, 180_001]) {
    const window = windows();
    vi.advanceTimersByTime(began);
    expect(await pass(window, 'a')).toBe('1 of 2, 60 s left');
    vi.advanceTimersByTime(30_000);
    expect(await pass(window, 'a')).toBe('2 of 2, 30 s left');
    vi.advanceTimersByTime(29_999);
    expect(await pass(window, 'a')).toBe('3 of 2, 0.001 s left');
    vi.advanceTimersByTime(1);
    expect(await pass(window, 'a')).toBe('1 of 2, 60 s left');
  }
});

test('a clock step back or forward opens and closes no window', async () => {
  const window = windows();
  expect(await pass(window, 'a', 1)).toBe('1 of 1, 60 s left');
  for (const step of [-3_600_000, 7_200_000]) {
    vi.setSystemTime(Date.now() + step);
    expect(await pass(window, 'a', 1)).toBe('2 of 1, 60 s left');
  }
  vi.advanceTimersByTime(60_000);
  expect(await pass(window, 'a', 1)).toBe('1 of 1, 60 s left');
});

test('a refused mint is not charged to the windows after the one that refuses', async () => {
  const window = windows();
  const [client, project] = [
    { key: 'client', limit: 1 },
    { key: 'project', limit: 5 },
  ];
  const points = async () => (await window.spend([client, project])).map((place) => place.points);
  expect([await points(), await points(), await points()]).toEqual([[1, 1], [2], [2]]);
  expect((await window.spend([project]))[0]?.points).toBe(2);
});

test('half a million clients in a minute have a constant cost per client', async () => {
  const window = windows();
  let n = 0;
  const many = async (count: number) => {
    const began = process.hrtime.bigint();
    for (const end = n + count; n < end; n++) await window.spend([{ key: `client ${n}`, limit: 1 }]);
    return Number(process.hrtime.bigint() - began) / count;
  };
  await many(20_000);
  const few = await many(50_000);
  await many(350_000);
  const crowded = await many(50_000);
  // A linear search per request would take a thousand times as long.
  expect(crowded).toBeLessThan(50 * few);
});
