import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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

test.each([
  'not-allowed',
  'service-not-allowed',
  'audio-capture',
  'network',
  'language-not-supported',
  // Another page or player has started its recogniser.
  'aborted',
])('%s, repeated: recognition gives up, reports it once and stops retrying', (error) => {
  const { gaveUp } = open();
  for (let i = 0; i < 5; i++) {
    expect(gaveUp()).toBe(0);
    current().end(error);
    vi.advanceTimersByTime(60_000);
  }
  expect(gaveUp()).toBe(1);
  expect(FakeRecogniser.all).toHaveLength(5);
});

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

describe('finish()', () => {
  test('reports the words that were spoken before it, and stops listening', () => {
    const { recognition, said } = open();
    current().say('I would like', false);
    recognition.finish();
    expect(current().isStopped).toBe(true);
    current().say('I would like some tea.', true);
    current().end();
    vi.advanceTimersByTime(60_000);
    expect(said.map(({ text, status }) => [text, status])).toEqual([
      ['I would like', 'interim'],
      ['I would like some tea.', 'final'],
    ]);
    expect(said[1]!.id).toBe(said[0]!.id);
    expect(FakeRecogniser.all).toHaveLength(1);
  });

  test('followed by start() listens again once the last result has arrived', () => {
    const { recognition, said } = open();
    recognition.finish();
    recognition.start();
    expect(FakeRecogniser.all).toHaveLength(1);
    current().say('Tea.', true);
    current().end();
    vi.advanceTimersByTime(1000);
    expect(FakeRecogniser.all.map(({ isListening }) => isListening)).toEqual([false, true]);
    expect(said).toHaveLength(1);
  });

  test('aborts a recogniser that never ends', () => {
    const { recognition } = open();
    recognition.finish();
    recognition.start();
    vi.advanceTimersByTime(5000);
    expect(FakeRecogniser.all.map(({ isListening }) => isListening)).toEqual([false, true]);
  });
});

test('stop() discards words without a final result', () => {
  const { recognition, said } = open();
  recognition.stop();
  current().say('Tea.', true);
  expect(said).toEqual([]);
});

test('a transcript after stop() or the end of a recogniser has another id than the one before', () => {
  const { recognition, said } = open();
  current().say('One', false);
  recognition.stop();
  recognition.start();
  current().say('Two', false);
  current().end('no-speech');
  vi.advanceTimersByTime(1000);
  current().say('Three', false);
  expect(new Set(said.map(({ id }) => id)).size).toBe(3);
});

test('new final results are reported one by one, then one text of all interim results', () => {
  const { said } = open();
  current().hear(0, ['Good', false], [' day', false]);
  current().hear(1, ['Good', false], [' day to', false]);
  current().hear(0, ['Good day to you.', true], [' How', false], [' are', false]);
  current().hear(1, ['Good day to you.', true], [' How are you?', true], [' Well', false]);
  expect(said.map(({ text, status }) => [text, status])).toEqual([
    ['Good day', 'interim'],
    ['Good day to', 'interim'],
    ['Good day to you.', 'final'],
    ['How are', 'interim'],
    ['How are you?', 'final'],
    ['Well', 'interim'],
  ]);
  expect(said.map(({ id }) => said.findIndex((one) => one.id === id))).toEqual([0, 0, 0, 3, 3, 5]);
});

describe('on a hidden page', () => {
  const page = Object.assign(new EventTarget(), { hidden: false });
  const show = (hidden: boolean) => {
    page.hidden = hidden;
    page.dispatchEvent(new Event('visibilitychange'));
  };
  beforeEach(() => {
    page.hidden = false;
    vi.stubGlobal('document', page);
  });

  test('recognition starts when the page becomes visible', () => {
    show(true);
    const { recognition } = open();
    recognition.start();
    vi.advanceTimersByTime(1000);
    expect(FakeRecogniser.all).toEqual([]);
    show(false);
    expect(FakeRecogniser.all).toHaveLength(1);
    recognition.stop();
    show(true);
    recognition.start();
    recognition.stop();
    show(false);
    expect(FakeRecogniser.all).toHaveLength(1);
  });

  test('a recogniser that another page aborts is not a failure', () => {
    const { gaveUp } = open();
    for (let i = 0; i < 10; i++) {
      show(true);
      current().end('aborted');
      vi.advanceTimersByTime(60_000);
      show(false);
      expect(current().isListening).toBe(true);
    }
    expect(gaveUp()).toBe(0);
  });
});
