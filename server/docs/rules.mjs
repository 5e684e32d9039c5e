// Reads the rules that the tests check, which are their titles, from the sources, and renders the page that lists them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { parseAst } from 'vite';

/**
 * A rule is a test, or a `describe` block with the rules `within`. If its title consists only of a case's name, `cases` has the names.
 * A subject is a test file: its `kind` is the folder below `test/` (acceptance, faults and so on), or the workspace if there is none.
 */

/** Returns the subjects of all workspaces with their rules, without running the tests. */
export async function readSubjects(root) {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const paths = workspaces.flatMap((workspace) => testFiles(root, `${workspace}/test`)).sort();
  const subjects = await Promise.all(
    paths.map(async (path) => {
      const [, workspace = '', kind = workspace, name = ''] =
        /^(.+?)\/test\/(?:([^/]+)\/)?(.+?)(?:\.test)?\.ts$/.exec(path) ?? [];
      const rules = await readRules(readFileSync(join(root, path), 'utf8'));
      return { kind, name: name.replace(/[/-]/g, ' '), path, rules };
    }),
  );
  return subjects.filter(({ rules }) => countOf(rules) > 0);
}

function testFiles(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder), { recursive: true });
  return names.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`);
}

export function countOf(rules) {
  return rules.reduce((sum, { within }) => sum + (within === undefined ? 1 : countOf(within)), 0);
}

/** The titles in the source of a test file. A table of cases has one title, so it is one rule. */
export async function readRules(source) {
  const { code } = await transform(source, { loader: 'ts' });
  const program = parseAst(code);
  return merged(rulesIn(program, constantsOf(program)));
}

/** The initialisers of all variables, by name, to resolve tables of cases. */
function constantsOf(program) {
  const found = new Map();
  visit(program, (node) => {
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier')
      found.set(node.id.name, node.init);
    return true;
  });
  return found;
}

function rulesIn(node, constants) {
  const rules = [];
  visit(node, (inner) => {
    const call = testCall(inner, constants);
    if (call === undefined) return true;
    rules.push(...rulesOf(call, constants));
    return false;
  });
  return rules;
}

/** Returns a call of the test framework: `test('…', …)`, `describe.concurrent('…', …)`, `test.each(table)('…', …)`, `test.skipIf(…)('…', …)`. */
function testCall(node, constants) {
  if (node.type !== 'CallExpression' || node.arguments.length < 2) return undefined;
  const [title, ...body] = node.arguments;
  const name = functionOf(node.callee, constants);
  if (name === undefined) return undefined;
  const isTable = ['each', 'for'].includes(node.callee.callee?.property?.name);
  const table = isTable ? node.callee.arguments[0] : undefined;
  return { isGroup: name === 'describe', table, title, body };
}

/** Returns which function of the test framework is called. */
function functionOf(callee, constants) {
  if (callee.type === 'MemberExpression') return functionOf(callee.object, constants);
  if (callee.type === 'CallExpression') return functionOf(callee.callee, constants);
  if (callee.type !== 'Identifier') return undefined;
  if (['describe', 'test', 'it'].includes(callee.name)) return callee.name;
  // const onPostgres = engine === 'postgres' ? describe : …
  const chosen = constants.get(callee.name);
  if (chosen?.type !== 'ConditionalExpression') return undefined;
  return chosen.consequent.type === 'Identifier' ? functionOf(chosen.consequent, new Map()) : undefined;
}

function rulesOf({ isGroup, table, title, body }, constants) {
  const text = textOf(title);
  const saysNothing = !/[\p{L}\p{N}]/u.test(text);
  if (isGroup) {
    const within = body.flatMap((part) => rulesIn(part, constants));
    // The title is only the name of an endpoint or an engine: the rules inside apply to each of them.
    return saysNothing ? within : [{ title: text, within }];
  }
  const cases = saysNothing && table !== undefined ? caseNames(table, constants) : [];
  return [cases.length === 0 ? { title: text } : { title: text, cases }];
}

/** The text of a title, with an ellipsis in place of each case value. */
function textOf(node) {
  const text =
    node.type === 'Literal'
      ? String(node.value)
      : node.type === 'TemplateLiteral'
        ? node.quasis.map((quasi) => quasi.value.cooked).join('…')
        : '…';
  return text
    .replace(/%[sdifjoOc#$]|\$[\w.]+/g, '…')
    .replaceAll('%%', '%')
    .trim();
}

function caseNames(table, constants) {
  const array = table.type === 'Identifier' ? constants.get(table.name) : table;
  if (array?.type !== 'ArrayExpression') return [];
  return array.elements.flatMap((element) => {
    const first = element?.type === 'ArrayExpression' ? element.elements[0] : element;
    const isText = first?.type === 'Literal' && typeof first.value === 'string';
    return isText && /\p{L}/u.test(first.value) ? [first.value] : [];
  });
}

/** Merges groups with the same title. */
function merged(rules) {
  const byTitle = new Map();
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
function visit(node, enter) {
  if (Array.isArray(node)) for (const item of node) visit(item, enter);
  else if (typeof node?.type === 'string') {
    if (enter(node)) for (const child of Object.values(node)) visit(child, enter);
  }
}

const kinds = {
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

/** Renders the page that lists the rules of the subjects, as Markdown. */
export function rulesPage(subjects) {
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
    'Rules that do not depend on the engine are tested on PostgreSQL, and on both engines by `npm run test:all`.',
    'Tests over HTTP also validate every response against `openapi.json`.',
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

function subjectLines({ name, path, rules }) {
  return ['', `### ${name} · ${countOf(rules)}`, '', `\`${path}\``, '', ...ruleLines(rules, '')];
}

function ruleLines(rules, indent) {
  return rules.flatMap(({ title, cases, within = [] }) => [
    `${indent}- ${escaped(cases === undefined ? title : cases.join(' · '))}`,
    ...ruleLines(within, `${indent}  `),
  ]);
}

function escaped(text) {
  // An underscore inside a word needs no escape.
  return text.replace(/[\\`*<>[\]]|(?<!\w)_+|_+(?!\w)|^[-+#]/g, '\\$&');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(rulesPage(await readSubjects(fileURLToPath(new URL('../../', import.meta.url)))));
