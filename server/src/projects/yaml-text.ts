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
import { findJsonBreak } from './json-syntax.ts';
import { maxProblems, ProjectFileError, type ProjectFileProblem } from './problem.ts';

export const maxLevels = 32;
const maxBytes = 4 * 1024 * 1024;

/** The syntax tree of a file, and the lines that its offsets are on. */
export interface ParsedText {
  document: Document.Parsed;
  lines: LineCounter;
}

/** Reads the syntax of a file; throws when it has mistakes, since what follows them cannot be trusted. */
export function parseText(fileText: string, format: 'yaml' | 'json'): ParsedText {
  if (Buffer.byteLength(fileText) > maxBytes) {
    throw new ProjectFileError([
      { path: '', message: 'is larger than 4 MiB; keep large data elsewhere and refer to it' },
    ]);
  }
  const text = fileText.replace(/^\ufeff/, '');
  const lines = countLines(text);
  const nul = text.indexOf('\0');
  if (nul !== -1) {
    const message = 'has a NUL character; remove it, and save the file as UTF-8';
    throw new ProjectFileError([problemAt(lines, nul, message)]);
  }
  if (/^[\s\ufeff]*$/.test(text)) throw emptyFile();
  if (format === 'json') refuseWhatIsNotJson(text, lines);

  // In JSON a carriage return is only ever a space between tokens; YAML knows it only before a line feed.
  const document = compose(format === 'json' ? text.replaceAll('\r', ' ') : text, lines);
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

function countLines(text: string): LineCounter {
  const lines = new LineCounter();
  for (let start = 0; start !== -1; ) {
    lines.addNewLine(start);
    const end = text.indexOf('\n', start);
    start = end === -1 ? -1 : end + 1;
  }
  return lines;
}

function refuseWhatIsNotJson(text: string, lines: LineCounter): void {
  const found = findJsonBreak(text);
  if (found === undefined) return;
  throw new ProjectFileError([problemAt(lines, found.offset, `is not valid JSON: ${found.message}`)]);
}

/** The parser's stack holds the document, its open collections and the scalar being read. */
const maxStack = maxLevels + 2;
/** Brackets, words, spaces and line ends: as many as 4 MiB of ordinary text have. Each takes much memory. */
const maxLexemes = 1_000_000;

/**
 * Goes through the text by hand to stop in time. The composer is recursive: a hundred thousand brackets would
 * exhaust its stack, which can end the whole process.
 */
function readTokens(text: string, lines: LineCounter): CST.Token[] {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const stop = (message: string) => new ProjectFileError([problemAt(lines, parser.offset, message)]);
  let errors = 0;
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'error') errors++;
    }
    if (errors > maxProblems) break;
    if (parser.stack.length > maxStack) {
      throw stop(`is nested more than ${maxLevels} levels deep here; flatten it`);
    }
    if (++lexemes > maxLexemes) throw stop('has too many values; keep large data elsewhere and refer to it');
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function compose(text: string, lines: LineCounter): Document.Parsed {
  const tokens = readTokens(text, lines);
  // Duplicate keys are found later: the composer's own search takes quadratic time.
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
  });
  let first: Document.Parsed | undefined;
  for (const document of composer.compose(tokens, true, text.length)) {
    if (first !== undefined) {
      const message = 'has a second document; keep one project in a file and remove this "---"';
      throw new ProjectFileError([problemAt(lines, document.range[0], message)]);
    }
    first = document;
  }
  return first!;
}

/** The parser's words for common mistakes, and what to tell someone who edits a file. */
const sayings: readonly (readonly [said: RegExp, saying: string])[] = [
  [/^Tabs are not/, 'a line is indented with a tab; indent with spaces'],
  [/^Nested mappings/, 'a second ": " stands on the line; put the value in quotes, or start a new line'],
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

/** One mistake often makes the parser stumble several times: the first stumble on a line says it. */
function syntaxProblems(errors: readonly YAMLParseError[], lines: LineCounter): ProjectFileProblem[] {
  const byLine = new Map<number, ProjectFileProblem>();
  for (const { message, pos } of errors.slice(0, maxProblems)) {
    const { line, ...rest } = problemAt(lines, pos[0], `is not valid YAML: ${saying(message)}`);
    if (line !== undefined && !byLine.has(line)) byLine.set(line, { line, ...rest });
  }
  return [...byLine.values()];
}

function saying(message: string): string {
  const known = sayings.find(([said]) => said.test(message));
  if (known !== undefined) return known[1];
  const said = message.charAt(0).toLowerCase() + message.slice(1, 120);
  return `${said}; check the quotes, brackets and indentation up to here`;
}
