import { readdir, readFile } from 'node:fs/promises';
import { sha256Hex } from '../../primitives/sha256.ts';
import { version } from '../../config/version.ts';

/** A numbered change of tables. It runs once in the life of a database and is never edited after its release. */
interface Migration {
  /** From 1. */
  version: number;
  name: string;
  /** SHA-256 of its statements, without comments. */
  digest: string;
  statements: string[];
}

/** A SQL function. It is replaced whenever its text differs from what the database has. */
export interface SqlFunction {
  name: string;
  /** SHA-256 of its file. */
  digest: string;
  statement: string;
}

/** What this program expects of a database. */
export interface Program {
  version: string;
  /** In ascending order. */
  migrations: readonly Migration[];
  functions: readonly SqlFunction[];
}

const ownFolder = new URL('../../../migrations/', import.meta.url);

export async function readProgram(folder = ownFolder): Promise<Program> {
  const [migrations, functions] = await Promise.all([readMigrations(folder), readFunctions(folder)]);
  return { version, migrations, functions };
}

/** Files such as `0001_schema.sql`. */
async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (file) => {
      const text = await withIncludes(folder, await readFile(new URL(file, folder), 'utf8'));
      return {
        version: Number.parseInt(file, 10),
        name: file.slice(0, -'.sql'.length),
        digest: sha256Hex(withoutComments(text)),
        statements: statementsOf(text),
      };
    }),
  );
}

/** One function in each file, under its own name. */
async function readFunctions(folder: URL): Promise<SqlFunction[]> {
  const functions = new URL('functions/', folder);
  const files = (await readdir(functions)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, functions), 'utf8');
      const statements = statementsOf(text);
      const name = file.slice(0, -'.sql'.length);
      const [, created] = /^CREATE OR REPLACE FUNCTION (\w+)\(/m.exec(text) ?? [];
      if (statements.length !== 1 || created !== name) {
        throw new Error(`${file} must hold one statement, CREATE OR REPLACE FUNCTION ${name}`);
      }
      return { name, digest: sha256Hex(text), statement: statements[0]! };
    }),
  );
}

/**
 * A trigger needs its function, so a migration that makes one includes the function: `--> include frozen/0003_x.sql`. The text is frozen
 * with the migration. The newest text may name columns that only a later migration adds.
 */
async function withIncludes(folder: URL, text: string): Promise<string> {
  const lines = text.split('\n').map((line) => {
    const [, included] = /^--> include (\S+)$/.exec(line) ?? [];
    return included === undefined ? line : readFile(new URL(included, folder), 'utf8');
  });
  return (await Promise.all(lines)).join('\n');
}

/** Drops lines that hold only a comment, and empty ones. */
function withoutComments(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s*(--.*)?$/.test(line))
    .join('\n');
}

/** A statement ends with a line that ends with a semicolon, outside the body of a function. */
export function statementsOf(text: string): string[] {
  const statements: string[] = [];
  let lines: string[] = [];
  let isInBody = false;
  for (const line of text.split('\n')) {
    lines.push(line);
    if ((line.match(/\$\$/g)?.length ?? 0) % 2 === 1) isInBody = !isInBody;
    if (isInBody || !/;\s*$/.test(line) || line.trimStart().startsWith('--')) continue;
    statements.push(lines.join('\n').trim());
    lines = [];
  }
  const rest = lines.filter((line) => !/^\s*(--.*)?$/.test(line));
  if (rest.length > 0) throw new Error(`a statement does not end: ${rest[0]}`);
  return statements;
}
