import { randomFillSync } from 'node:crypto';

export type IdPrefix = 'ses' | 'key' | 'req';

/**
 * A new id: a TypeID, that is a UUID of version 7 in base 32, so ids sort by the time they were made. Two of them are
 * made for each mint, so they are written out directly; the tests read them back with the TypeID library.
 */
export function newId(prefix: IdPrefix): string {
  tick();
  const random = nextRandom();
  // 48 bits of time, 4 of version, 12 of a counter, 2 of variant and 62 random ones are 26 symbols of 5 bits, less 2.
  let id = `${prefix}_${instant}`;
  id += symbols[0b01110 | (counter >> 11)];
  id += symbols[(counter >> 6) & 31];
  id += symbols[(counter >> 1) & 31];
  id += symbols[((counter & 1) << 4) | 0b01000 | (pool[random]! & 0b00011)];
  for (let i = 1; i < randomSymbols; i++) id += symbols[pool[random + i]! & 31];
  return id;
}

/** Ids that are made from this time on (milliseconds) sort behind this one. */
export function firstIdAt(prefix: IdPrefix, at: number): string {
  return `${prefix}_${base32(Math.floor(at / 2 ** 25))}${base32(at % 2 ** 25)}`;
}

/** Whether a text has the shape of an id. What has not cannot be stored, and need not be looked up. */
export function isId(prefix: IdPrefix | 'prj' | 'exp', text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[a-z]{3}_[A-Za-z0-9_-]{1,64}$/.test(text);
}

const symbols = [...'0123456789abcdefghjkmnpqrstvwxyz'];
const randomSymbols = 13;
const pool = Buffer.alloc(randomSymbols * 256);
let used = pool.length;

let milliseconds = 0;
let instant = '';
let counter = 0;

/** Time never goes back here, and ids of one millisecond are told apart, and ordered, by a counter. */
function tick(): void {
  const now = Date.now();
  if (now <= milliseconds && counter < 0xfff) {
    counter++;
    return;
  }
  milliseconds = Math.max(now, milliseconds + 1);
  instant = base32(Math.floor(milliseconds / 2 ** 25)) + base32(milliseconds % 2 ** 25);
  counter = pool[nextRandom()]!;
}

/** 25 bits as five symbols. */
function base32(bits: number): string {
  let text = '';
  for (let shift = 20; shift >= 0; shift -= 5) text += symbols[(bits >> shift) & 31];
  return text;
}

/** Where in the pool there are fresh random bytes for one id. */
function nextRandom(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += randomSymbols;
  return used - randomSymbols;
}
