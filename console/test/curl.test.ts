import { expect, test } from 'vitest';
import { curlOf, originFrom } from '../src/editor/tabs/languages/curl.ts';

const facts = {
  publicUrl: 'https://launch.example.com',
  experienceId: 'exp_cafe',
  origins: { browser: 'https://shop.example', public: 'https://www.partner.example' },
};

test('a backend sends its key and no language of a browser', () => {
  expect(curlOf({ door: 'server', locale: 'pt-BR', acceptLanguage: 'fr' }, facts).split(' \\\n  ')).toEqual([
    'curl -X POST https://launch.example.com/v1/sessions',
    `-H "Authorization: Bearer $LAUNCH_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d '{"experienceId":"exp_cafe","locale":"pt-BR"}'`,
  ]);
});

test('a page sends its origin and its languages, and no text is run by the shell', () => {
  const one = { door: 'public', locale: '$(id)', acceptLanguage: "fr'; id #" } as const;
  expect(curlOf(one, facts).split(' \\\n  ')).toEqual([
    'curl -X POST https://launch.example.com/v1/public-sessions',
    `-H 'Origin: https://www.partner.example'`,
    `-H 'Accept-Language: fr'\\''; id #'`,
    `-H 'Content-Type: application/json'`,
    `-d '{"experienceId":"exp_cafe","locale":"$(id)"}'`,
  ]);
});

test('names a page for a list of origins', () => {
  expect(originFrom(['https://*.shop.example', 'https://a.example'])).toBe('https://www.shop.example');
  expect(originFrom([])).toBe('https://www.example.com');
});
