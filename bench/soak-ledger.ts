import { createHash } from 'node:crypto';

/**
 * An append-only multiset of session ids, stored as their count and the sum of their hashes. Equal ledgers hold the same ids; the size does
 * not depend on the number of ids.
 */
export class Ledger {
  count = 0;
  readonly #sum = new Uint32Array(4);

  add(id: string): void {
    this.count++;
    const hash = createHash('sha256').update(id).digest();
    for (let word = 0; word < 4; word++) this.#sum[word]! += hash.readUInt32LE(4 * word);
  }

  equals(other: Ledger): boolean {
    return this.count === other.count && this.#sum.every((word, i) => word === other.#sum[i]);
  }
}
