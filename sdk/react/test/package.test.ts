import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
let folder: string;

beforeAll(async () => {
  await run(process.execPath, ['build.mjs'], { cwd: root });
  folder = await mkdtemp(join(tmpdir(), 'session-launch-react-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the package stays within its size budget, and has the "use client" directive', async () => {
  const text = await readFile(join(root, 'dist/index.js'));
  expect(gzipSync(text, { level: 9 }).length).toBeLessThan(3000);
  expect(text.toString().split('\n')[0]).toBe('"use client";');
});

test('on a server the component renders the box with the poster, and sends no request', async () => {
  const { ExperiencePlayer, ExperienceThumbnail, useExperience } = await import('../dist/index.js');
  const source = { experienceId: 'exp_a' as const, baseUrl: 'https://launch.example.com' };
  const player = createElement(ExperiencePlayer, { ...source, poster: '/poster.svg', className: 'stage' });
  expect(renderToString(player)).toContain('<div class="stage"><img src="/poster.svg" alt=""/></div>');
  const Hook = () => createElement('p', {}, useExperience(source).state);
  expect(renderToString(createElement(Hook))).toBe('<p>idle</p>');
  const entry = { title: 'Tea', galleryThumb: null };
  expect(renderToString(createElement(ExperienceThumbnail, { entry }))).toBe(
    '<experience-thumbnail title="Tea"></experience-thumbnail>',
  );
});

test('its types compile with only the SDK and React', async () => {
  const pack = async (name: string) => {
    const cwd = fileURLToPath(new URL(`../../${name}`, import.meta.url));
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
    const [{ filename }] = JSON.parse((await run('npm', args, { cwd })).stdout);
    const place = join(folder, 'node_modules/@session-launch', name);
    await run('mkdir', ['-p', place]);
    await run('tar', ['-xzf', join(folder, filename), '-C', place, '--strip-components=1']);
  };
  await pack('browser');
  await pack('react');
  const modules = fileURLToPath(new URL('../../../node_modules/', import.meta.url));
  await writeFile(
    join(folder, 'app.ts'),
    `import { ExperiencePlayer, useExperience } from '@session-launch/react';
    import { createElement } from 'react';
    createElement(ExperiencePlayer, { experienceId: 'exp_a', fit: 'cover', onMessage: ({ text }) => text.length });
    export const state = () => useExperience({ experienceId: 'exp_a' }).state === 'live';
    // @ts-expect-error no source
    createElement(ExperiencePlayer, { fit: 'cover' });`,
  );
  const compilerOptions = {
    module: 'ESNext',
    moduleResolution: 'Bundler',
    target: 'ES2022',
    lib: ['ES2023', 'DOM'],
    strict: true,
    noEmit: true,
    types: [],
    paths: { react: [`${modules}@types/react`], 'react/*': [`${modules}@types/react/*`] },
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }));
  const compiler = join(modules, 'typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error);
  expect(stdout).toBe('');
});
