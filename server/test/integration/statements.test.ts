import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Statement } from '../../src/store/database.ts';
import { useService } from '../harness/service.ts';

const service = useService();
/** The statement of an export: a statement itself, or a query. */
function statementOf(value: unknown): Statement[] {
  if (typeof value === 'function' && 'statement' in value) return [value.statement as Statement];
  return typeof value === 'object' && value !== null && 'text' in value ? [value as Statement] : [];
}
const definition = /: Statement =|= (?:inTransaction|onPool\('\w+'\))\.\w+</g;
const folder = new URL('../../src/', import.meta.url).pathname;
const sources: string[] = [];
const statements: Statement[] = [];
beforeAll(async () => {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  for (const file of files) {
    const source = await readFile(join(folder, file), 'utf8');
    if (source.match(definition) === null) continue;
    sources.push(source);
    statements.push(...Object.values<unknown>(await import(join(folder, file))).flatMap(statementOf));
  }
});

test('every statement of the sources is exported, and no two have the same name', async () => {
  expect(statements).toHaveLength(sources.join('\n').match(definition)!.length);
  const names = statements.flatMap(({ name }) => name ?? []);
  expect(names).toEqual([...new Set(names)]);
});

test('the database has every table, column and function that a statement names', async () => {
  for (const { text } of statements)
    await service.database.transaction(async (tx) => {
      await tx
        .query({ text: `PREPARE checked AS ${text}` })
        .catch((error) => expect.fail(`${error}: ${text}`));
      await tx.query({ text: 'DEALLOCATE checked' });
    });
});
