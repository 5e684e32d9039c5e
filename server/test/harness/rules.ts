import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst, transformWithEsbuild } from 'vite';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A test, or a `describe` block with its tests. */
export interface Rule {
  title: string;
  /** The names of the table cases, if the title consists only of the case name. */
  cases?: string[];
  within?: Rule[];
}

/** The rules in one test file. */
export interface Subject {
  /** The folder below `test/`: acceptance, faults and so on; the name of the workspace if there is none. */
  kind: string;
  name: string;
  /** Path from the root of the repository. */
  path: string;
  rules: Rule[];
}

/** Reads the test titles of all workspaces from the sources, without running the tests. */
export async function readSubjects(): Promise<Subject[]> {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const paths = (workspaces as string[]).flatMap((workspace) => testFiles(`${workspace}/test`)).sort();
  const subjects = await Promise.all(
    paths.map(async (path): Promise<Subject> => {
      const [, workspace = '', kind = workspace, name = ''] =
        /^(.+?)\/test\/(?:([^/]+)\/)?(.+?)(?:\.test)?\.ts$/.exec(path) ?? [];
      const rules = await readRules(readFileSync(join(root, path), 'utf8'));
      return { kind, name: name.replace(/[/-]/g, ' '), path, rules };
    }),
  );
  return subjects.filter(({ rules }) => countOf(rules) > 0);
}

function testFiles(folder: string): string[] {
  try {
    const names = readdirSync(join(root, folder), { recursive: true }) as string[];
    return names.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

export function countOf(rules: readonly Rule[]): number {
  return rules.reduce((sum, { within }) => sum + (within === undefined ? 1 : countOf(within)), 0);
}

// biome-ignore lint/suspicious/noExplicitAny: a syntax tree, walked without knowing its kinds
type Node = any;

/** The titles in the source of a test file. A table of cases has one title, so it is one rule. */
export async function readRules(source: string): Promise<Rule[]> {
  const { code } = await transformWithEsbuild(source, 'tests.ts', { sourcemap: false });
  const program: Node = parseAst(code);
  return merged(rulesIn(program, constantsOf(program)));
}

/** The initialisers of all variables, by name, to resolve tables of cases. */
function constantsOf(program: Node): Map<string, Node> {
  const found = new Map<string, Node>();
  visit(program, (node) => {
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier')
      found.set(node.id.name, node.init);
    return true;
  });
  return found;
}

function rulesIn(node: Node, constants: Map<string, Node>): Rule[] {
  const rules: Rule[] = [];
  visit(node, (inner) => {
    const call = testCall(inner, constants);
    if (call === undefined) return true;
    rules.push(...rulesOf(call, constants));
    return false;
  });
  return rules;
}

interface TestCall {
  isGroup: boolean;
  /** The cases of `each` and `for`. */
  table?: Node;
  title: Node;
  body: Node[];
}

/** `test('…', …)`, `describe.concurrent('…', …)`, `test.each(table)('…', …)`, `test.skipIf(…)('…', …)`. */
function testCall(node: Node, constants: Map<string, Node>): TestCall | undefined {
  if (node.type !== 'CallExpression' || node.arguments.length < 2) return undefined;
  const [title, ...body] = node.arguments;
  const name = functionOf(node.callee, constants);
  if (name === undefined) return undefined;
  const isTable = ['each', 'for'].includes(node.callee.callee?.property?.name);
  const table = isTable ? node.callee.arguments[0] : undefined;
  return { isGroup: name === 'describe', table, title, body };
}

/** Returns which function of the test framework is called. */
function functionOf(callee: Node, constants: Map<string, Node>): string | undefined {
  if (callee.type === 'MemberExpression') return functionOf(callee.object, constants);
  if (callee.type === 'CallExpression') return functionOf(callee.callee, constants);
  if (callee.type !== 'Identifier') return undefined;
  if (['describe', 'test', 'it'].includes(callee.name)) return callee.name;
  // const onPostgres = engine === 'postgres' ? describe : …
  const chosen = constants.get(callee.name);
  if (chosen?.type !== 'ConditionalExpression') return undefined;
  return chosen.consequent.type === 'Identifier' ? functionOf(chosen.consequent, new Map()) : undefined;
}

function rulesOf({ isGroup, table, title, body }: TestCall, constants: Map<string, Node>): Rule[] {
  const text = textOf(title);
  const saysNothing = !/[\p{L}\p{N}]/u.test(text);
  if (isGroup) {
    const within = body.flatMap((part) => rulesIn(part, constants));
    // The title is only the name of a door or an engine: the rules inside apply to each of them.
    return saysNothing ? within : [{ title: text, within }];
  }
  const cases = saysNothing && table !== undefined ? caseNames(table, constants) : [];
  return [cases.length === 0 ? { title: text } : { title: text, cases }];
}

/** The text of a title, with an ellipsis in place of each case value. */
function textOf(node: Node): string {
  const text =
    node.type === 'Literal'
      ? String(node.value)
      : node.type === 'TemplateLiteral'
        ? node.quasis.map((quasi: Node) => quasi.value.cooked).join('…')
        : '…';
  return text
    .replace(/%[sdifjoOc#$]|\$[\w.]+/g, '…')
    .replaceAll('%%', '%')
    .trim();
}

function caseNames(table: Node, constants: Map<string, Node>): string[] {
  const array = table.type === 'Identifier' ? constants.get(table.name) : table;
  if (array?.type !== 'ArrayExpression') return [];
  return array.elements.flatMap((element: Node) => {
    const first = element?.type === 'ArrayExpression' ? element.elements[0] : element;
    const isText = first?.type === 'Literal' && typeof first.value === 'string';
    return isText && /\p{L}/u.test(first.value) ? [first.value] : [];
  });
}

/** Merges groups with the same title. */
function merged(rules: Rule[]): Rule[] {
  const byTitle = new Map<string, Rule>();
  for (const rule of rules) {
    const known = byTitle.get(rule.title);
    if (known?.within && rule.within) known.within.push(...rule.within);
    else if (known?.cases && rule.cases) known.cases.push(...rule.cases);
    else if (known === undefined) byTitle.set(rule.title, rule);
  }
  return [...byTitle.values()].map((rule) =>
    rule.within === undefined ? rule : { ...rule, within: merged(rule.within) },
  );
}

/** Visits all descendants in source order; `enter` returns whether to descend. */
function visit(node: Node, enter: (node: Node) => boolean): void {
  if (Array.isArray(node)) for (const item of node) visit(item, enter);
  else if (typeof node?.type === 'string') {
    if (enter(node)) for (const child of Object.values(node)) visit(child, enter);
  }
}

const kinds: Record<string, string> = {
  acceptance: 'Over HTTP',
  integration: 'Service and database',
  processes: 'Real processes',
  faults: 'Faults, overload, slow and hostile clients',
  long: 'Long load tests',
  browser: 'In a real browser',
  cli: 'Command line',
  unit: 'Parts',
  conversation: 'Runtime: conversations',
  mind: 'Runtime: scripts and lessons',
  speech: 'Runtime: speech',
  engines: 'Runtime: external engines',
  sockets: 'Runtime: sockets and limits',
  service: 'Runtime: reports to the service',
  hostile: 'Runtime: hostile texts',
  docs: 'Runtime: documentation of the protocol',
  console: 'Console',
  'sdk/backend': 'Backend SDK',
  'sdk/browser': 'Browser SDK',
  'sdk/react': 'React package',
  bench: 'Benchmark',
};

/** Renders the page that lists the rules. */
export function rulesPage(subjects: readonly Subject[]): string {
  const order = [...new Set([...Object.keys(kinds), ...subjects.map(({ kind }) => kind)])];
  const sections = order
    .map((kind) => ({ title: kinds[kind] ?? kind, subjects: subjects.filter((one) => one.kind === kind) }))
    .filter((section) => section.subjects.length > 0);
  const total = countOf(subjects.flatMap(({ rules }) => rules));
  return [
    '# Test coverage',
    '',
    `${total} rules in ${subjects.length} subjects, read from the titles of the tests. A rule that is tested with many`,
    'cases, on both engines or at all three mint endpoints counts once; `…` stands for a value that differs between cases.',
    'Rules that do not depend on the engine are tested on PostgreSQL, and on both engines by `npm run test:long`.',
    'Tests over HTTP also validate every response against `openapi.json`.',
    '',
    'Do not edit this page: `npm run docs:rules` writes it.',
    '',
    '| | Rules |',
    '| --- | ---: |',
    ...sections.map(
      ({ title, subjects }) => `| ${title} | ${countOf(subjects.flatMap(({ rules }) => rules))} |`,
    ),
    ...sections.flatMap(({ title, subjects }) => ['', `## ${title}`, ...subjects.flatMap(subjectLines)]),
    '',
  ].join('\n');
}

function subjectLines({ name, path, rules }: Subject): string[] {
  return ['', `### [${name}](../${path}) · ${countOf(rules)}`, '', ...ruleLines(rules, '')];
}

function ruleLines(rules: readonly Rule[], indent: string): string[] {
  return rules.flatMap(({ title, cases, within = [] }) => [
    `${indent}- ${escaped(cases === undefined ? title : cases.join(' · '))}`,
    ...ruleLines(within, `${indent}  `),
  ]);
}

function escaped(text: string): string {
  // An underscore inside a word needs no escape.
  return text.replace(/[\\`*<>[\]]|(?<!\w)_+|_+(?!\w)|^[-+#]/g, '\\$&');
}
