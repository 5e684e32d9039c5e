import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Recognition, type Transcript } from '../src/transport/recognition.ts';
import { FakeRecogniser } from './fake-recogniser.ts';

beforeEach(() => {
  vi.useFakeTimers();
  FakeRecogniser.all = [];
  vi.stubGlobal('webkitSpeechRecognition', FakeRecogniser);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const current = () => FakeRecogniser.all.at(-1)!;

function open(): { recognition: Recognition; said: Transcript[]; gaveUp(): number } {
  const said: Transcript[] = [];
  const gaveUp = vi.fn();
  const recognition = new Recognition('en', (one) => said.push(one), gaveUp);
  recognition.start();
  return { recognition, said, gaveUp: () => gaveUp.mock.calls.length };
}

test('recognition continues after repeated silence', () => {
  const { said, gaveUp } = open();
  for (let i = 0; i < 20; i++) {
    current().end('no-speech');
    vi.advanceTimersByTime(1000);
    expect(current().isListening).toBe(true);
  }
  current().say('Good day.', true);
  expect(said).toMatchObject([{ text: 'Good day.', status: 'final', locale: 'en' }]);
  expect(gaveUp()).toBe(0);
});

test('stops caused by the character’s turns do not count as failures', () => {
  const { recognition, gaveUp } = open();
  for (let i = 0; i < 20; i++) {
    recognition.stop();
    recognition.start();
    vi.advanceTimersByTime(1000);
  }
  current().end('no-speech');
  vi.advanceTimersByTime(1000);
  expect(FakeRecogniser.all.filter(({ isListening }) => isListening)).toEqual([current()]);
  expect(gaveUp()).toBe(0);
});

test.each(['not-allowed', 'service-not-allowed', 'audio-capture', 'network', 'language-not-supported'])(
  '%s, repeated: recognition gives up, reports it once and stops retrying',
  (error) => {
    const { gaveUp } = open();
    for (let i = 0; i < 5; i++) {
      expect(gaveUp()).toBe(0);
      current().end(error);
      vi.advanceTimersByTime(60_000);
    }
    expect(gaveUp()).toBe(1);
    expect(FakeRecogniser.all).toHaveLength(5);
  },
);

test('a network error that recovers in time has no effect', () => {
  const { gaveUp } = open();
  for (let i = 0; i < 12; i++) {
    current().end('network');
    vi.advanceTimersByTime(60_000);
    if (i % 4 === 3) current().say('Hello', false);
  }
  expect(current().isListening).toBe(true);
  expect(gaveUp()).toBe(0);
});

test('recognition that cannot be started counts as failed', () => {
  vi.stubGlobal(
    'webkitSpeechRecognition',
    class extends FakeRecogniser {
      override start(): void {
        super.start();
        throw new DOMException('no', 'InvalidStateError');
      }
    },
  );
  const { gaveUp } = open();
  vi.advanceTimersByTime(60_000);
  expect(gaveUp()).toBe(1);
});

test('changing the language restarts recognition, and results name their language', () => {
  const { recognition, said, gaveUp } = open();
  recognition.locale = 'pt-PT';
  recognition.locale = 'pt-PT';
  vi.advanceTimersByTime(1000);
  expect(FakeRecogniser.all.map(({ lang, isListening }) => [lang, isListening])).toEqual([
    ['en', false],
    ['pt-PT', true],
  ]);
  current().say('Bom dia', true);
  expect(said).toMatchObject([{ text: 'Bom dia', locale: 'pt-PT' }]);
  expect(gaveUp()).toBe(0);
});
