import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { attribute, curlSnippet, jsString, shellWord } from '@session-launch/contract/snippets';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Texts with the characters that end a string, a word, an attribute or an element. */
const hostile = fc.string({
  unit: fc.constantFrom(
    ...[
      "'",
      '"',
      '`',
      '$',
      '${',
      '$(',
      '\\',
      '<',
      '</script>',
      '<!--',
      '>',
      '&',
      '&quot;',
      '\n',
      ' ',
      '\u2028',
      '!',
      'ö',
      'a',
    ],
  ),
});

test('a word of a shell command is one argument, also with quotes and dollar signs', () => {
  const words = fc.sample(hostile, 200);
  const script = words.map((word) => `printf '%s\\0' ${shellWord(word)}`).join('\n');
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(words);
});

test('a string in JavaScript has the value of the text, and cannot end a script element', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const code = jsString(text);
      expect(runInNewContext(code)).toBe(text);
      expect(code).not.toMatch(/[<\n\u2028]/);
    }),
  );
});

test('the value of an attribute contains no character that ends it', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const [, value = ''] = /^"([^"<>]*)"$/.exec(attribute(text)) ?? [];
      const read = value.replace(/&#(\d+);/g, (_, number) => String.fromCharCode(Number(number)));
      expect(read).toBe(text);
    }),
  );
});

test('curl sends the key, headers and body as they are, and the shell expands only the variable', () => {
  const text = `'$(id)" \\ $HOME`;
  const command = curlSnippet({
    publicUrl: `http://127.0.0.1/it's`,
    key: { variable: 'LAUNCH_KEY' },
    headers: { 'Accept-Language': text },
    body: { experienceId: text },
  });
  const shown = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${command}`], {
    encoding: 'utf8',
    env: { LAUNCH_KEY: 'sl_test_x', HOME: '/home' },
  });
  expect(shown.split('\0').slice(0, -1)).toEqual([
    ...['-X', 'POST', `http://127.0.0.1/it's/v1/sessions`],
    ...['-H', 'Authorization: Bearer sl_test_x', '-H', `Accept-Language: ${text}`],
    ...['-H', 'Content-Type: application/json', '-d', JSON.stringify({ experienceId: text })],
  ]);
});

/** The sources that show code to a reader in a browser or in a terminal. */
const sources = ['console/src', 'server/src', 'server/site'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|js|html)$/.test(name))
    .map((name) => ({ file: join(folder, name), text: readFileSync(join(root, folder, name), 'utf8') })),
);

/** Files that match a pattern outside of comments. */
function filesWith(pattern: RegExp): string[] {
  return sources
    .filter(({ text }) => pattern.test(text.replace(/^\s*(\/\/|\/?\*).*$/gm, '')))
    .map(({ file }) => file)
    .sort();
}

test('code is shown only by the components that accept the type of tested snippets', () => {
  expect(sources.length).toBeGreaterThan(300);
  expect(filesWith(/<pre\b|<textarea[^>]*readonly/i)).toEqual([
    'console/src/parts/notice.tsx',
    'server/src/web/pages/code-block.ts',
  ]);
  expect(filesWith(/\bas (unknown as )?Snippet\b/)).toEqual([]);
  // A value to copy comes from the service. Code in its place would have no test.
  expect(filesWith(/<CopyValue(?![^>]*\bvalue=\{[\w.]+\})/)).toEqual([]);
});

test('no other source contains code for readers', () => {
  const patterns = [
    /\bcurl -/,
    /\bnpm (install|i) /,
    // Hints in messages name a command; code for readers has options.
    /\bnpx session-launch [\w ]+ --/,
    /["'`]import \{[^}]*\} from/,
    /<script src=["']?(\$\{|https?:)/,
    /<session-experience/,
    /new SessionLaunch\(/,
    /fetch\([^)\n]*\/v1\//,
  ];
  expect(patterns.flatMap(filesWith)).toEqual([]);
});
