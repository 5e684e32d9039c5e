import type { ResourcePrefix } from '@session-launch/contract/resources';
import type { Command, Option } from 'commander';
import { checkId } from '../terminal/ids.ts';
import { type Io, write, writeJson } from '../terminal/io.ts';
import { type Columns, Table } from '../terminal/table.ts';
import type { Context } from './context.ts';

interface Texts {
  description: string;
  /** Help of the option --json. Absent: the command has no such option. */
  json?: string;
  options?: readonly Option[];
  /** Printed behind the help. */
  examples?: string;
}

interface List<Row, Options> extends Texts {
  /** Name of the command; `list` by default. */
  name?: string;
  /** The resource whose list it is; its id is passed to `read` as `id`. */
  argument?: { prefix: ResourcePrefix; texts: [name: string, help: string] };
  /** Help of the required option --project. Absent: the list is of the whole service. */
  project?: string;
  columns: Columns<Row>;
  /** Printed instead of an empty table. */
  empty(project: string): string;
  /** All rows, or page by page. */
  read(admin: Context['admin'], options: Options): Promise<Row[]> | AsyncIterable<Row[]>;
}

/** The options of a list; `project` only if the list has that option. */
export interface ListOptions {
  project: string;
  json?: true;
}

/** Adds a command such as `list`, which prints a table or JSON. */
export function addList<Row, Options extends ListOptions = ListOptions>(
  parent: Command,
  { io, admin }: Context,
  list: List<Row, Options>,
): void {
  const command = parent.command(list.name ?? 'list');
  if (list.argument !== undefined) command.argument(...list.argument.texts);
  if (list.project !== undefined) command.requiredOption('--project <id>', list.project);
  complete(command, list).action(async (...given: unknown[]) => {
    // Commander passes the arguments, the options and the command.
    const options = given.at(-2) as Options;
    if (list.project !== undefined) checkId('prj', options.project);
    const id = list.argument && { id: checkId(list.argument.prefix, String(given[0])) };
    const found = list.read(admin, { ...options, ...id });
    if (options.json) return printJson(io, found);
    const table = new Table(list.columns);
    let count = 0;
    for await (const page of pagesOf(found)) {
      count += page.length;
      if (page.length > 0) await write(io.stdout, table.text(page));
    }
    if (count === 0) await write(io.stdout, `${list.empty(options.project)}\n`);
  });
}

async function* pagesOf<Row>(found: Promise<Row[]> | AsyncIterable<Row[]>): AsyncIterable<Row[]> {
  if (Symbol.asyncIterator in found) yield* found;
  else yield await found;
}

/** Prints an array; pages with one row per line: valid JSON that grep can search. */
async function printJson<Row>(io: Io, found: Promise<Row[]> | AsyncIterable<Row[]>): Promise<void> {
  if (!(Symbol.asyncIterator in found)) return writeJson(io.stdout, await found);
  let separator = '[';
  for await (const page of found) {
    if (page.length === 0) continue;
    await write(io.stdout, `${separator}${page.map((row) => JSON.stringify(row)).join(',\n')}`);
    separator = ',\n';
  }
  await write(io.stdout, separator === '[' ? '[]\n' : ']\n');
}

interface ById<Options> extends Texts {
  name: string;
  prefix: ResourcePrefix;
  /** Name and help of the argument. */
  argument: [name: string, help: string];
  /** Returns what is printed: a text, or an object as JSON. */
  run(admin: Context['admin'], id: string, options: Options): Promise<string | object>;
}

/** Adds a command for one resource, such as `show` or `delete`. */
export function addById<Options = { json?: true }>(
  parent: Command,
  { io, admin }: Context,
  one: ById<Options>,
): void {
  const command = parent.command(one.name).argument(...one.argument);
  complete(command, one).action(async (id: string, options: Options) => {
    const result = await one.run(admin, checkId(one.prefix, id), options);
    if (typeof result === 'object') await writeJson(io.stdout, result);
    else await write(io.stdout, result.endsWith('\n') ? result : `${result}\n`);
  });
}

function complete(command: Command, { description, options = [], json, examples }: Texts): Command {
  command.description(description);
  for (const option of options) command.addOption(option);
  if (json !== undefined) command.option('--json', json);
  return examples === undefined ? command : command.addHelpText('after', examples);
}
