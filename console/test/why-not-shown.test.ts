import { afterEach, expect, test, vi } from 'vitest';
import { whyNotShown } from '../src/editor/preview/why-not-shown.ts';
import { previewTexts } from '../src/texts/editor/preview.ts';

const { blocked } = previewTexts;
const url = 'http://launch.example.com';

afterEach(() => vi.unstubAllGlobals());

function openedAt(origin: string, answer: () => Promise<Response>): void {
  vi.stubGlobal('location', new URL(origin));
  vi.stubGlobal('fetch', answer);
}

const answers = async () => Response.json({ version: '1.0.0' });
const fails = async () => {
  throw new TypeError('Failed to fetch');
};

test('a service over http is not shown in a console over https, except on a loopback host', async () => {
  openedAt('https://admin.example.com', answers);
  expect(await whyNotShown(url)).toBe(blocked.mixed(url));
  const loopback = 'http://localhost:8080';
  expect(await whyNotShown(loopback)).toBe(blocked.refused(loopback, 'https://admin.example.com'));
});

test('distinguishes a service that the browser cannot reach from one that refuses the frame', async () => {
  openedAt('http://admin.example.com', fails);
  expect(await whyNotShown(url)).toBe(blocked.unreachable(url));
  openedAt('http://admin.example.com', answers);
  expect(await whyNotShown(url)).toBe(blocked.refused(url, 'http://admin.example.com'));
});

test.each([429, 500, 502, 503])('an answer with the status %i can be one of the service', async (status) => {
  openedAt('http://admin.example.com', async () => new Response('', { status }));
  expect(await whyNotShown(url)).toBe(blocked.busy(url));
});

test.each([
  ['another status', async () => new Response('Not found', { status: 404 })],
  ['a page', async () => new Response('<!doctype html><title>Welcome</title>')],
])('an answer with %s is that of another program', async (_, answer) => {
  openedAt('http://admin.example.com', answer);
  expect(await whyNotShown(url)).toBe(blocked.other(url));
});
