/** Where JSON text breaks off, and what to write there. */
export interface JsonBreak {
  offset: number;
  message: string;
}

type Expected = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'comma' | 'end';

const space = /[ \t\n\r]*/y;
const numberOrWord = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y;
/** Everything from the space on, except the quote and the backslash. */
const plainCharacters = /[ !#-[\]-\uffff]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * The first place where a text stops being JSON, or undefined when all of it is. `JSON.parse` knows this
 * place too, but tells it for some mistakes only, and in words that change with the engine.
 */
export function findJsonBreak(text: string): JsonBreak | undefined {
  const open: ('{' | '[')[] = [];
  let expected = 'value' as Expected;
  let at = 0;

  const after = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.test(text) ? pattern.lastIndex : at;
  };
  const afterValue = (): Expected => (open.length === 0 ? 'end' : 'comma');

  while (true) {
    at = after(space);
    const character = text[at];
    if (character === undefined && expected === 'end') return undefined;

    if (expected === 'comma' && character === ',') {
      expected = open.at(-1) === '{' ? 'key' : 'value';
      at++;
    } else if (expected === 'colon' && character === ':') {
      expected = 'value';
      at++;
    } else if (character !== undefined && closes(character, expected, open.at(-1))) {
      open.pop();
      expected = afterValue();
      at++;
    } else if (character === '"' && expected !== 'comma' && expected !== 'colon' && expected !== 'end') {
      const string = readString(text, at);
      if ('message' in string) return string;
      at = string.end;
      expected = expected === 'key' || expected === 'first key' ? 'colon' : afterValue();
    } else if (expected !== 'value' && expected !== 'first item') {
      return { offset: at, message: complaint(text, at, expected, open.at(-1)) };
    } else if (character === '{' || character === '[') {
      open.push(character);
      expected = character === '{' ? 'first key' : 'first item';
      at++;
    } else {
      const end = after(numberOrWord);
      if (end === at) return { offset: at, message: complaint(text, at, expected, open.at(-1)) };
      at = end;
      expected = afterValue();
    }
  }
}

function closes(character: string, expected: Expected, container: '{' | '[' | undefined): boolean {
  if (character === '}') return container === '{' && (expected === 'comma' || expected === 'first key');
  if (character === ']') return container === '[' && (expected === 'comma' || expected === 'first item');
  return false;
}

function readString(text: string, start: number): { end: number } | JsonBreak {
  let at = start + 1;
  while (true) {
    plainCharacters.lastIndex = at;
    plainCharacters.test(text);
    at = plainCharacters.lastIndex;
    if (text[at] === '"') return { end: at + 1 };
    if (text[at] === undefined) return { offset: start, message: 'a text has no closing quote; add it' };
    if (text[at] !== '\\') {
      return { offset: at, message: 'a text has a line break or control character; write it as \\n or \\u…' };
    }
    escaped.lastIndex = at;
    if (!escaped.test(text)) {
      return { offset: at, message: 'a text has an unknown escape; write a backslash as \\\\' };
    }
    at = escaped.lastIndex;
  }
}

function complaint(text: string, at: number, expected: Expected, container?: '{' | '['): string {
  const character = text[at];
  const closer = container === '{' ? '}' : ']';
  if (character === undefined) {
    return container === undefined ? 'a value is missing' : `it ends too early; close it with "${closer}"`;
  }
  if (/[}\]]/.test(character) && /,[ \t\n\r]*$/.test(text.slice(Math.max(0, at - 200), at))) {
    return `a comma stands before "${character}"; remove it`;
  }
  if (character === "'") return 'a text is in single quotes; use double quotes';
  if (text.startsWith('//', at) || text.startsWith('/*', at) || character === '#') {
    return 'it has a comment, which JSON does not allow; remove it, or write the file as YAML';
  }
  const shown = JSON.stringify(String.fromCodePoint(text.codePointAt(at)!));
  const found = `${shown} is not expected here`;
  if (expected === 'end') return `${found}; remove what follows the closing bracket`;
  if (expected === 'comma') return `${found}; write a comma or "${closer}"`;
  if (expected === 'colon') return `${found}; write a colon after the field name`;
  if (expected === 'key' || expected === 'first key') return `${found}; write a field name in double quotes`;
  return `${found}; write a value: a text in double quotes, a number, true, false, null, { or [`;
}
