import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Cell, rowArray } from '../../src/store/row-text.ts';
import { useService } from '../harness/service.ts';

const service = useService();

const claims = {
  name: 'claims_as_read',
  text: `SELECT n, encode(hash, 'hex') AS hash, lock::text, session_id, project_id FROM unnest($1::claim_to_record[])`,
};

/** Any text that a text column can store. */
const text = fc
  .string({ unit: 'binary', maxLength: 30 })
  .map((value) => value.replaceAll('\0', '').toWellFormed());
const tricky = fc.constantFrom(
  '',
  ' ',
  'NULL',
  'null',
  '"',
  '\\',
  '\\"',
  '{}',
  '()',
  ',',
  '(a,b)',
  "'",
  '\n',
  'a"b\\c',
  't',
);

test('rows are returned as they were written, with any content', async () => {
  const row = fc.record({
    n: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    hash: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    lock: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
    session_id: fc.option(fc.oneof(text, tricky)),
    project_id: fc.option(fc.oneof(text, tricky)),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
      const written = rows.map((r): Cell[] => [
        ...[
          r.n,
          { hex: r.hash.toString('hex') },
          r.lock,
          { hex: randomBytes(32).toString('hex') },
          r.session_id,
        ],
        ...[r.project_id, null],
      ]);
      const read = await service.database.query('everyday', claims, [rowArray(written)]);
      expect(read).toEqual(rows.map((r) => ({ ...r, hash: r.hash.toString('hex') })));
    }),
    { numRuns: 100 },
  );
});
