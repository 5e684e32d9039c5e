import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as experiences from '../../src/experiences/store.ts';
import * as keys from '../../src/keys/store.ts';
import * as rates from '../../src/limits/rate-windows.ts';
import * as applying from '../../src/projects/apply-statements.ts';
import * as projects from '../../src/projects/store.ts';
import * as recording from '../../src/recording/statement.ts';
import * as lifecycle from '../../src/sessions/lifecycle.ts';
import * as retention from '../../src/sessions/retention.ts';
import * as silence from '../../src/sessions/silence.ts';
import * as sessions from '../../src/sessions/store.ts';
import * as housekeeping from '../../src/start/housekeeping.ts';
import * as changes from '../../src/store/changes.ts';
import type { Statement } from '../../src/store/database.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const modules = [
  ...[experiences, keys, rates, applying, projects, recording],
  ...[lifecycle, retention, silence, sessions, housekeeping, changes],
];
const isStatement = (value: unknown): value is Statement =>
  typeof value === 'object' && value !== null && 'text' in value;
const statements = modules.flatMap((module) => Object.values<unknown>(module).filter(isStatement));

test('every statement of the sources is exported and checked here, and no two have the same name', async () => {
  const folder = new URL('../../src/', import.meta.url).pathname;
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const sources = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  expect(statements).toHaveLength(sources.join('\n').match(/: Statement =/g)!.length);
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
