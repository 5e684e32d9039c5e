import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Placed, rearrange } from '../../src/editing/order.ts';

const highest = 2_147_483_647;
const lowest = -2_147_483_648;

function sorted(list: readonly Placed[]): string[] {
  return list.toSorted((a, b) => a.sortOrder - b.sortOrder || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
}

function rearranged(list: readonly Placed[], moved: readonly Placed[]): Placed[] {
  const places = new Map(moved.map(({ id, sortOrder }) => [id, sortOrder]));
  return list.map(({ id, sortOrder }) => ({ id, sortOrder: places.get(id) ?? sortOrder }));
}

/** Whether the members of a set can keep their positions: the others get the smallest position that their predecessor allows. */
function canStay(list: readonly Placed[], stay: number): boolean {
  let before: Placed | undefined;
  for (const [i, { id, sortOrder }] of list.entries()) {
    const least = before === undefined ? lowest : before.sortOrder + (id < before.id ? 1 : 0);
    const place = stay & (1 << i) ? sortOrder : least;
    if (place < least || place > highest) return false;
    before = { id, sortOrder: place };
  }
  return true;
}

function fewestMoves(list: readonly Placed[]): number {
  let most = 0;
  for (let stay = 0; stay < 1 << list.length; stay++) {
    const size = list.filter((_, i) => stay & (1 << i)).length;
    if (size > most && canStay(list, stay)) most = size;
  }
  return list.length - most;
}

const places = fc.oneof(
  fc.integer({ min: -3, max: 6 }),
  fc.integer({ min: -5, max: 5 }).map((n) => n * 10),
  fc.constantFrom(lowest, lowest + 1, highest - 1, highest),
);
const lists = fc
  .uniqueArray(fc.constantFrom(...'abcdefgh'), { maxLength: 7 })
  .chain((ids) => fc.tuple(...ids.map((id) => places.map((sortOrder) => ({ id, sortOrder })))));

describe('rearranging', () => {
  test('gives the wanted order with the fewest changes', () => {
    fc.assert(
      fc.property(lists, (list) => {
        const moved = rearrange(list);
        for (const { sortOrder } of moved) {
          expect(Number.isInteger(sortOrder)).toBe(true);
          expect(sortOrder).toBeGreaterThanOrEqual(lowest);
          expect(sortOrder).toBeLessThanOrEqual(highest);
        }
        expect(sorted(rearranged(list, moved))).toEqual(list.map(({ id }) => id));
        expect(moved).toHaveLength(fewestMoves(list));
      }),
      { numRuns: 2_000 },
    );
  });

  test('moves one experience between two others, or to an end with a gap of 10', () => {
    const at = (id: string, sortOrder: number) => ({ id, sortOrder });
    expect(rearrange([at('a', 10), at('c', 30), at('b', 20)])).toEqual([at('c', 15)]);
    expect(rearrange([at('c', 30), at('a', 10), at('b', 20)])).toEqual([at('c', 0)]);
    expect(rearrange([at('b', 20), at('c', 30), at('a', 10)])).toEqual([at('a', 40)]);
    expect(rearrange([at('c', 0), at('a', 0), at('b', 0)])).toEqual([at('c', -10)]);
    expect(rearrange([at('a', 0), at('b', 0), at('c', 0)])).toEqual([]);
  });

  test('orders thousands of experiences in one go', () => {
    const ids = Array.from({ length: 5_000 }, (_, i) => `exp_${String(i).padStart(5, '0')}`);
    const list = ids.toReversed().map((id) => ({ id, sortOrder: 0 }));
    const moved = rearrange(list);
    expect(moved).toHaveLength(4_999);
    expect(sorted(rearranged(list, moved))).toEqual(list.map(({ id }) => id));
  });
});
