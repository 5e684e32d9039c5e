import { printParseErrorCode, visit } from 'jsonc-parser';
import { maxLevels, tooDeep } from './problem.ts';

const control = 'a text has a line break or control character; write it as \\n or \\u…';
const unknownEscape = 'a text has an unknown escape; write a backslash as \\\\';
const comment = 'it has a comment, which JSON does not allow; remove it, or write the file as YAML';
const value = 'write a value: a text in double quotes, a number, true, false, null, { or [';

/** Messages by the error code of jsonc-parser, where the code alone says enough. */
const messages: Record<string, string> = {
  InvalidCommentToken: comment,
  InvalidCharacter: control,
  InvalidUnicode: unknownEscape,
  InvalidEscapeCharacter: unknownEscape,
  UnexpectedEndOfString: 'a text has no closing quote; add it',
  UnexpectedEndOfNumber: 'a number is incomplete; add the missing digits',
};

/** Validates JSON syntax and nesting depth. Calls `fail`, which throws, at the first problem. */
export function checkJson(text: string, fail: (offset: number, message: string) => never): void {
  /** The closing brackets that are still missing. */
  const closers: string[] = [];
  /** What to write at the current offset. */
  let expected = value;
  const opens = (closer: string, first: string) => (offset: number) => {
    // jsonc-parser is recursive: stop before it exhausts the stack.
    if (closers.push(closer) > maxLevels) fail(offset, tooDeep);
    expected = first;
  };
  const ends = () => {
    const closer = closers.at(-1);
    expected = closer ? `write a comma or "${closer}"` : 'remove everything after the last closing bracket';
  };
  const closes = () => {
    closers.pop();
    ends();
  };
  const name = 'write a field name in double quotes';
  visit(
    text,
    {
      onObjectBegin: opens('}', name),
      onArrayBegin: opens(']', value),
      onObjectEnd: closes,
      onArrayEnd: closes,
      onLiteralValue: ends,
      onObjectProperty: () => {
        expected = 'write a colon after the field name';
      },
      onSeparator: (separator) => {
        expected = separator === ',' && closers.at(-1) === '}' ? name : value;
      },
      onError: (number, offset, length) => {
        const code = printParseErrorCode(number);
        // The scanner also reports `UnexpectedEndOfString` at a line break inside a string.
        const isCut = code === 'UnexpectedEndOfString' && offset + length < text.length;
        const closer =
          { CloseBraceExpected: '}', CloseBracketExpected: ']' }[code as string] ?? closers.at(-1);
        const message = isCut ? control : (messages[code] ?? explain(text, offset, expected, closer));
        fail(isCut ? offset + length : offset, `is not valid JSON: ${message}`);
      },
    },
    { disallowComments: true },
  );
}

function explain(text: string, offset: number, expected: string, closer: string | undefined): string {
  const character = text[offset];
  if (character === undefined) {
    return closer === undefined ? 'a value is missing' : `it ends too early; close it with "${closer}"`;
  }
  if (/[}\]]/.test(character) && /,[ \t\n\r]*$/.test(text.slice(Math.max(0, offset - 200), offset))) {
    return `there is a comma before "${character}"; remove it`;
  }
  if (character === "'") return 'a text is in single quotes; use double quotes';
  if (character === '#') return comment;
  return `${JSON.stringify(String.fromCodePoint(text.codePointAt(offset)!))} is not expected here; ${expected}`;
}
