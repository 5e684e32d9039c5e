import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { readProgram, statementsOf } from '../../src/store/migrations/migrations.ts';

/** Digests of released migrations, which databases have recorded. Only their comments may change; add another migration. */
const released: Record<string, string> = {
  '0001_schema': 'fe5dfbd5327abb2a0bcf899d68f8c6978173c0dc07408d21c3a54b9fd8e4549b',
  '0002_metering': '664aee07a6e3eb89250d804723635b2775320d7a89becffa2bbe04c392bdce4e',
  '0003_publishing': '7478d344d2351554814dd03387800aed6aaa8bcea79da795cf8138c78720b58e',
  '0004_operators': 'd932c0f46edcb239a25e1e6ecfc2d65fc17d020569ef6cfbe11cecad339c8f19',
  '0005_art': 'f8ed1567ebd8f88753dbfe3a7a1fbd47735c43a14e0c0eff6169285b54bdb837',
  '0006_previews': 'eaaf1e4a75550a6d557398b65df8b623e25b37c254aefd54fad00adb908f89b2',
  '0007_tallies': 'ba13ba801ed57b9a0f6238b4c886e0fdcf04821389db66ead4169bbe97f637bb',
  '0008_launched': '35845b4053ad74545d385c141c478dcec8f07a786abeae8ec607cdc709081de2',
  '0009_deleted_versions': 'f7eebedf3a192481c8e995e7de8d8ff6c6176584674b49b8edc2e889862c386e',
  '0010_former_limits': 'a5f23da4d6c9a9af380ca4fcd0ab54f7343eb7dfb52f53e544efbfe19c6efc13',
  '0011_login_limits': '72f35058f3c5a1af5ee769f6e8c0b16e3f9f89b591583b67828243f5b2e209c9',
};

const { migrations, functions } = await readProgram();

test('a released migration is never edited, except its comments', () => {
  const digests = Object.fromEntries(migrations.map(({ name, digest }) => [name, digest]));
  expect(digests).toMatchObject(released);
});

test('a digest covers statements and included functions, but no comments', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const url = pathToFileURL(`${folder}/`);
  for (const name of ['frozen', 'functions']) await mkdir(join(folder, name));
  const digest = async (text: string, frozen = 'SELECT 2;') => {
    await writeFile(join(folder, '0001_one.sql'), text);
    await writeFile(join(folder, 'frozen/0001_f.sql'), frozen);
    return (await readProgram(url)).migrations[0]!.digest;
  };
  const text = '-- A note.\nSELECT\n  -- Another one.\n  1;\n--> include frozen/0001_f.sql\n';
  const original = await digest(text);
  expect(
    await digest(text.replace('A note', 'A better note').replace('Another', '\n  -- One more, and another')),
  ).toBe(original);
  expect(await digest(text, '-- A note.\nSELECT 2;')).toBe(original);
  expect(await digest(text.replace('1;', '3;'))).not.toBe(original);
  expect(await digest(text, 'SELECT 3;')).not.toBe(original);
});

test('a migration includes only functions that are frozen under its number', async () => {
  const folder = new URL('../../migrations/', import.meta.url);
  const included: string[] = [];
  for (const { name } of migrations) {
    const text = await readFile(new URL(`${name}.sql`, folder), 'utf8');
    for (const [, path] of text.matchAll(/^--> include (\S+)$/gm)) {
      expect(path).toMatch(new RegExp(`^frozen/${name.slice(0, 4)}_\\w+\\.sql$`));
      included.push(path!.slice('frozen/'.length));
    }
  }
  expect(included.sort()).toEqual((await readdir(new URL('frozen/', folder))).sort());
});

test('migrations are numbered from 1 without a gap', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, i) => i + 1));
});

test('a function has one file, under its name', () => {
  expect(functions.length).toBeGreaterThan(10);
  expect(new Set(functions.map(({ name }) => name)).size).toBe(functions.length);
  for (const { statement } of functions) expect(statement).toMatch(/\$\$;$/);
});

test('a statement ends with a semicolon at the end of a line, outside a function body', () => {
  const body = 'CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n  NULL;\nEND $$;';
  expect(statementsOf(`SELECT 1;\n-- A note;\nSELECT\n  2;\n${body}\n-- The end.\n`)).toEqual([
    'SELECT 1;',
    '-- A note;\nSELECT\n  2;',
    body,
  ]);
  expect(() => statementsOf('SELECT 1')).toThrow('a statement does not end: SELECT 1');
});
