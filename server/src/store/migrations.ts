import { readdir, readFile } from 'node:fs/promises';

/** One step of the schema: its number, from 1, and its statements. */
export interface Migration {
  version: number;
  statements: string[];
}

const folder = new URL('../../migrations/', import.meta.url);

/** The steps in their order: files such as `0001_schema.sql`. */
export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => ({
      version: Number.parseInt(name, 10),
      statements: statementsOf(await withIncludes(name)),
    })),
  );
}

/** A function has a file of its own, and the migration that installs it names the file: `--> include functions/x.sql`. */
async function withIncludes(name: string): Promise<string> {
  const text = await readFile(new URL(name, folder), 'utf8');
  const lines = text.split('\n').map((line) => {
    const [, included] = /^--> include (\S+)$/.exec(line) ?? [];
    return included === undefined ? line : readFile(new URL(included, folder), 'utf8');
  });
  return (await Promise.all(lines)).join('\n');
}

/** A statement ends with a line that ends with a semicolon, outside the body of a function. */
function statementsOf(text: string): string[] {
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
