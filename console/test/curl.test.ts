import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { curlOf, originFrom } from '../src/editor/tabs/languages/curl.ts';

const facts = {
  publicUrl: 'https://launch.example.com',
  experienceId: 'exp_cafe',
  origins: { browser: 'https://shop.example', public: 'https://www.partner.example' },
};

/** The arguments that a shell passes to curl. */
function argumentsOf(command: string): string[] {
  const script = `curl() { printf '%s\\n' "$@"; }\n${command}`;
  return execFileSync('sh', ['-c', script], { env: { LAUNCH_KEY: 'sl_test_1' }, encoding: 'utf8' })
    .trimEnd()
    .split('\n');
}

test('a backend sends its key and no language of a browser', () => {
  expect(argumentsOf(curlOf({ door: 'server', locale: 'pt-BR', acceptLanguage: 'fr' }, facts))).toEqual([
    '-X',
    'POST',
    'https://launch.example.com/v1/sessions',
    '-H',
    'Authorization: Bearer sl_test_1',
    '-H',
    'Content-Type: application/json',
    '-d',
    '{"experienceId":"exp_cafe","locale":"pt-BR"}',
  ]);
});

test('a page sends its origin and its languages, and no text reaches the shell', () => {
  const command = curlOf({ door: 'public', locale: "it's $(id)", acceptLanguage: "fr'; id #" }, facts);
  expect(argumentsOf(command)).toEqual([
    '-X',
    'POST',
    'https://launch.example.com/v1/public-sessions',
    '-H',
    'Origin: https://www.partner.example',
    '-H',
    "Accept-Language: fr'; id #",
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify({ experienceId: 'exp_cafe', locale: "it's $(id)" }),
  ]);
});

test('names a page for a list of origins', () => {
  expect(originFrom(['https://*.shop.example', 'https://a.example'])).toBe('https://www.shop.example');
  expect(originFrom([])).toBe('https://www.example.com');
});
