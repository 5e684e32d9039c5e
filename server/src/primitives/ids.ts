import { randomFillSync } from 'node:crypto';
import type { IdPrefix } from '@session-launch/contract/resources';

/**
 * Returns a new TypeID: a UUID version 7 in base 32, so that ids sort by creation time. Encoded by hand, because each mint creates two;
 * tests decode them with the TypeID library.
 */
export function newId(prefix: IdPrefix): string {
  tick();
  return encode(prefix, instant, counter);
}

/** Ids that ascend after any other id, whose time may be ahead of the clock of this process. */
export class IdSequence {
  readonly #prefix: IdPrefix;
  #milliseconds = 0;
  #counter = 0;

  constructor(prefix: IdPrefix) {
    this.#prefix = prefix;
  }

  next(): string {
    const now = Date.now();
    if (now > this.#milliseconds || this.#counter === 0xfff) {
      this.#milliseconds = Math.max(now, this.#milliseconds + 1);
      this.#counter = 0;
    } else this.#counter++;
    return encode(this.#prefix, instantOf(this.#milliseconds), this.#counter);
  }

  /** Makes the next ids sort behind this one. */
  skipTo(id: string): void {
    const time = [...id.slice(this.#prefix.length + 1, this.#prefix.length + 11)];
    const milliseconds = time.reduce((value, symbol) => value * 32 + symbols.indexOf(symbol), 0);
    if (milliseconds < this.#milliseconds) return;
    this.#milliseconds = milliseconds;
    this.#counter = 0xfff;
  }
}

function encode(prefix: IdPrefix, instant: string, counter: number): string {
  const random = nextRandom();
  // 48 bits of time, 4 of version, 12 of counter, 2 of variant and 62 random bits: 128 bits in 26 symbols of 5 bits.
  let id = `${prefix}_${instant}`;
  id += symbols[0b01110 | (counter >> 11)];
  id += symbols[(counter >> 6) & 31];
  id += symbols[(counter >> 1) & 31];
  id += symbols[((counter & 1) << 4) | 0b01000 | (pool[random]! & 0b00011)];
  for (let i = 1; i < randomSymbols; i++) id += symbols[pool[random + i]! & 31];
  return id;
}

/** The smallest id of this time (milliseconds): ids created at or after it sort behind. */
export function firstIdAt(prefix: IdPrefix, at: number): string {
  return `${prefix}_${instantOf(at)}`;
}

/** Whether a text has the form of an id. Other texts cannot be stored, so they are not looked up. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[a-z]{3}_[A-Za-z0-9_-]{1,64}$/.test(text);
}

const symbols = [...'0123456789abcdefghjkmnpqrstvwxyz'];
const randomSymbols = 13;
const pool = Buffer.alloc(randomSymbols * 256);
let used = pool.length;

let milliseconds = 0;
let instant = '';
let counter = 0;

/** A clock that never goes back; a counter orders the ids of one millisecond. */
function tick(): void {
  const now = Date.now();
  if (now <= milliseconds && counter < 0xfff) {
    counter++;
    return;
  }
  milliseconds = Math.max(now, milliseconds + 1);
  instant = instantOf(milliseconds);
  counter = pool[nextRandom()]!;
}

/** Encodes 48 bits of time as ten symbols. */
function instantOf(milliseconds: number): string {
  return base32(Math.floor(milliseconds / 2 ** 25)) + base32(milliseconds % 2 ** 25);
}

/** Encodes 25 bits as five symbols. */
function base32(bits: number): string {
  let text = '';
  for (let shift = 20; shift >= 0; shift -= 5) text += symbols[(bits >> shift) & 31];
  return text;
}

/** Offset of unused random bytes in the pool. */
function nextRandom(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += randomSymbols;
  return used - randomSymbols;
}
