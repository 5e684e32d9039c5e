import {
  Composer,
  type CST,
  type Document,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  type YAMLParseError,
} from 'yaml';
import { checkJson } from './json-check.ts';
import { maxLevels, maxProblems, ProjectFileError, type ProjectFileProblem, tooDeep } from './problem.ts';

const maxBytes = 4 * 1024 * 1024;
/** The parser's stack holds the document, its open collections and the current scalar. */
const maxStack = maxLevels + 2;
/** Maximum tokens (brackets, words, spaces, line ends); 4 MiB of ordinary text have fewer. Each takes a lot of memory. */
const maxTokens = 1_000_000;

/** The syntax tree of a file, and the line numbers of its offsets. */
export interface ParsedText {
  document: Document.Parsed;
  lines: LineCounter;
}

/**
 * Parses YAML or JSON into a YAML syntax tree. Throws a ProjectFileError on a syntax error: data after the first error
 * cannot be trusted, so it is not validated.
 */
export function parseText(fileText: string, format: 'yaml' | 'json'): ParsedText {
  if (Buffer.byteLength(fileText) > maxBytes) {
    throw new ProjectFileError([
      { path: '', message: 'is larger than 4 MiB; keep large data elsewhere and refer to it' },
    ]);
  }
  const text = fileText.replace(/^\ufeff/, '');
  const lines = new LineCounter();
  for (const { index } of `\n${text}`.matchAll(/\n/g)) lines.addNewLine(index);
  const fail = (offset: number, message: string): never => {
    throw new ProjectFileError([problemAt(lines, offset, message)]);
  };
  const nul = text.indexOf('\0');
  if (nul !== -1) fail(nul, 'has a NUL character; remove it, and save the file as UTF-8');
  if (text.trim() === '') throw emptyFile();
  if (format === 'json') checkJson(text, fail);

  // JSON allows a carriage return between any two tokens; YAML only before a line feed.
  const document = compose(format === 'json' ? text.replaceAll('\r', ' ') : text, fail);
  if (document.errors.length > 0) throw new ProjectFileError(syntaxProblems(document.errors, lines));
  const root = document.contents;
  if (root === null || (isScalar(root) && root.source === '' && root.value === null)) throw emptyFile();
  return { document, lines };
}

export function problemAt(lines: LineCounter, offset: number, message: string): ProjectFileProblem {
  const { line, col } = lines.linePos(offset);
  return { line, column: col, path: '', message };
}

function emptyFile(): ProjectFileError {
  const message = 'is empty; start with "project: { id: prj_demo, name: Demo }"';
  return new ProjectFileError([{ path: '', message }]);
}

type Fail = (offset: number, message: string) => never;

function compose(text: string, fail: Fail): Document.Parsed {
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
    // FileData finds duplicate keys; the composer's search takes quadratic time.
    uniqueKeys: false,
    prettyErrors: false,
  });
  const [first, second] = composer.compose(syntaxTokens(text, fail), true, text.length);
  if (second !== undefined) {
    fail(second.range[0], 'has a second document; keep one project in a file and remove this "---"');
  }
  return first!;
}

/** Feeds the parser token by token to enforce the limits: the composer is recursive, and deep nesting exhausts its stack. */
function* syntaxTokens(text: string, fail: Fail): Generator<CST.Token> {
  const parser = new Parser();
  let errors = 0;
  let tokens = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      yield token;
      if (token.type === 'error' && ++errors > maxProblems) return;
    }
    if (parser.stack.length > maxStack) fail(parser.offset, tooDeep);
    if (++tokens > maxTokens) {
      fail(parser.offset, 'has too many values; keep large data elsewhere and refer to it');
    }
  }
  yield* parser.end();
}

/** The YAML parser's messages for common mistakes, and the explanation shown instead. */
const explanations: readonly (readonly [original: RegExp, explanation: string])[] = [
  [/^Tabs are not/, 'a line is indented with a tab; indent with spaces'],
  [/^Nested mappings/, 'there is a second ": " on the line; put the value in quotes, or start a new line'],
  [/^Missing closing/, 'a quote that was opened above is never closed; add the closing quote'],
  [/end with a \]$/, 'a "[" that was opened above is not closed; close it, and indent what is inside'],
  [/end with a \}$/, 'a "{" that was opened above is not closed; close it, and indent what is inside'],
  [
    /^Plain value cannot start/,
    'a value starts with a character that YAML reserves; put the value in quotes',
  ],
  [/^Invalid escape/, 'a text has an unknown escape; write a backslash as \\\\, or use single quotes'],
  [/must start at the same column/, 'a line is not indented like its neighbours; align it with them'],
  [
    /^Implicit (map )?keys need/,
    'a line is neither "name: value" nor "- item"; add the missing ":" or quote',
  ],
  [/^Missing ,/, 'a comma is missing between two items; add it'],
  [/^The : indicator/, 'a field name is longer than 1024 characters; shorten it'],
];

/** One mistake often causes several parser errors; only the first on each line is reported. */
function syntaxProblems(errors: readonly YAMLParseError[], lines: LineCounter): ProjectFileProblem[] {
  const byLine = new Map<number, ProjectFileProblem>();
  for (const { message, pos } of errors.slice(0, maxProblems)) {
    const problem = problemAt(lines, pos[0], `is not valid YAML: ${explain(message)}`);
    if (!byLine.has(problem.line!)) byLine.set(problem.line!, problem);
  }
  return [...byLine.values()];
}

function explain(message: string): string {
  const known = explanations.find(([original]) => original.test(message));
  if (known !== undefined) return known[1];
  const original = message.charAt(0).toLowerCase() + message.slice(1, 120);
  return `${original}; check the quotes, brackets and indentation up to here`;
}
