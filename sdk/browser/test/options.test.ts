import { afterEach, expect, test, vi } from 'vitest';
import { assetUrl } from '../src/assets.ts';
import { Emitter } from '../src/core/emitter.ts';
import { browserLocale } from '../src/core/locale.ts';
import { check } from '../src/core/options.ts';
import { serviceUrl, setScriptUrl } from '../src/core/service-url.ts';
import type { ExperienceOptions } from '../src/types.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  setScriptUrl(undefined);
});

test.each([
  [{}],
  [{ experienceId: 'exp_a', mint: async () => ({}) }],
  [{ mint: async () => ({}), launch: {} }],
  [{ launch: {}, relayUrl: '/mint' }],
  [{ experienceId: 'tea' }],
  [{ experienceId: 'exp_a', door: 'back' }],
  [{ experienceId: 'exp_a', door: 'public', relayUrl: '/mint' }],
  [{ mint: 'now' }],
])('%j is rejected as a source', (options) => {
  const baseUrl = 'https://launch.example.com';
  expect(() => check({ ...options, baseUrl } as unknown as ExperienceOptions)).toThrow(TypeError);
});

test('a page that mints directly needs a baseUrl, unless the script came from the service', () => {
  expect(() => check({ experienceId: 'exp_a' })).toThrow(/baseUrl/);
  setScriptUrl('https://launch.example.com/below/sdk/v2/session-launch.js');
  expect(check({ experienceId: 'exp_a' }).source).toMatchObject({
    url: 'https://launch.example.com/below/v1/browser-sessions',
  });
  setScriptUrl('https://cdn.example.com/vendor/session-launch.js');
  expect(serviceUrl(undefined)).toBe(undefined);
});

test.each([
  [['de-AT', 'en'], 'de-AT'],
  [['EN-us@posix'], 'en-US'],
  [['c'], undefined],
  [[], undefined],
])('the language of %j is %s', (languages, locale) => {
  vi.stubGlobal('navigator', { languages });
  expect(browserLocale()).toBe(locale);
});

test('catalog paths become URLs, with a width where one is requested', () => {
  const baseUrl = 'https://launch.example.com/';
  expect(assetUrl('/avatars/a/full.svg', { baseUrl })).toBe('https://launch.example.com/avatars/a/full.svg');
  expect(assetUrl('/avatars/a/full.png', { baseUrl, width: 320 })).toBe(
    'https://launch.example.com/avatars/a/full.png?w=320',
  );
});

test('unknown event names throw an error that refers to the documentation', () => {
  const emitter = new Emitter();
  const listen = (name: string) => () => emitter.on(name as 'error', () => {});
  expect(listen('close')).toThrow(/onClose/);
  expect(listen('stateUpdate')).toThrow(/onStateUpdate/);
  expect(listen('nothing')).toThrow(TypeError);
  expect(listen('toString')).toThrow(TypeError);
});

test('a once handler can be removed before it is called', () => {
  const emitter = new Emitter();
  const heard: string[] = [];
  const note = (mode: string) => void heard.push(mode);
  emitter.once('modeChange', note);
  emitter.off('modeChange', note);
  emitter.emit('modeChange', 'speaking');
  emitter.once('modeChange', note);
  emitter.emit('modeChange', 'thinking');
  emitter.emit('modeChange', 'listening');
  expect(heard).toEqual(['thinking']);
});

test('a handler that throws is reported, and the other handlers still run', () => {
  const reported: unknown[] = [];
  vi.stubGlobal('reportError', (error: unknown) => reported.push(error));
  const emitter = new Emitter();
  const heard: string[] = [];
  emitter.on('modeChange', () => {
    throw new Error('of the page');
  });
  emitter.once('modeChange', (mode) => heard.push(mode));
  const off = emitter.on('modeChange', (mode) => heard.push(mode));
  emitter.emit('modeChange', 'speaking');
  off();
  emitter.emit('modeChange', 'listening');
  expect(heard).toEqual(['speaking', 'speaking']);
  expect(reported).toHaveLength(2);
});
