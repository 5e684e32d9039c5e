import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PageVoice, unlock } from '../src/transport/page-voice.ts';

/** A speech synthesiser that takes one second per text. If cancelled, it fires an error event after a short delay. */
class FakeSpeech {
  readonly spoken: { text: string; volume: number }[] = [];
  readonly pending = false;
  /** Whether `speak` has no effect, as in iOS before the first click. */
  isLocked = false;
  #line: SpeechSynthesisUtterance | undefined;

  getVoices(): SpeechSynthesisVoice[] {
    return [];
  }

  speak(line: SpeechSynthesisUtterance): void {
    if (this.isLocked) return;
    this.#line = line;
    this.spoken.push({ text: line.text, volume: line.volume });
    setTimeout(() => this.#line === line && line.onstart?.({} as SpeechSynthesisEvent));
    setTimeout(() => this.#line === line && line.onend?.({} as SpeechSynthesisEvent), 1000);
  }

  cancel(): void {
    const line = this.#line;
    this.#line = undefined;
    setTimeout(() => line?.onerror?.({} as SpeechSynthesisErrorEvent));
  }

  get speaking(): boolean {
    return this.#line !== undefined;
  }
}

let speech: FakeSpeech;
beforeEach(() => {
  vi.useFakeTimers();
  speech = new FakeSpeech();
  vi.stubGlobal('speechSynthesis', speech);
  vi.stubGlobal(
    'SpeechSynthesisUtterance',
    class {
      constructor(readonly text: string) {}
    },
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const line = (utterance: number) => ({
  utterance,
  locale: 'de',
  text: 'Guten Tag.',
  durationMs: 1000,
  words: [],
});

test('muting in the middle of a sentence stops the sound, and the sentence ends once', () => {
  const done: number[] = [];
  const voice = new PageVoice(
    (utterance, _ms, isDone) => isDone && done.push(utterance),
    () => {},
  );
  voice.volume = 1;
  voice.speak(line(1));
  vi.advanceTimersByTime(300);
  voice.volume = 0.5;
  expect(speech.speaking).toBe(true);
  voice.volume = 0;
  expect(speech.speaking).toBe(false);
  voice.speak(line(2));
  vi.advanceTimersByTime(5000);
  expect(done).toEqual([1, 2]);
  expect(speech.spoken.map(({ volume }) => volume)).toEqual([1, 0]);
});

describe('a line that the browser does not speak', () => {
  function open() {
    const told: unknown[] = [];
    const voice = new PageVoice(
      (utterance, _ms, isDone) => isDone && told.push(`done ${utterance}`),
      (isAudible) => told.push(isAudible ? 'audible' : 'silent'),
    );
    return { voice, told };
  }

  test('is reported as silent when it times out, and the next one that starts as audible', () => {
    const { voice, told } = open();
    speech.isLocked = true;
    voice.speak(line(1));
    vi.advanceTimersByTime(3900);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(200);
    expect(told).toEqual(['silent', 'done 1']);
    speech.isLocked = false;
    voice.speak(line(2));
    vi.advanceTimersByTime(1000);
    expect(told.slice(2)).toEqual(['audible', 'done 2']);
  });

  test('is reported as silent when it fails, and is shown for as long as speech would take', () => {
    const { voice, told } = open();
    voice.speak(line(1));
    // The browser, not the SDK, cancels the line before it starts.
    speech.cancel();
    vi.advanceTimersByTime(900);
    expect(told).toEqual(['silent']);
    vi.advanceTimersByTime(200);
    expect(told).toEqual(['silent', 'done 1']);
    vi.advanceTimersByTime(60_000);
    expect(told).toHaveLength(2);
  });
});

describe('unlock()', () => {
  test('speaks an empty text and leaves nothing in the queue', () => {
    unlock();
    expect(speech.spoken).toMatchObject([{ text: '' }]);
    expect(speech.speaking).toBe(false);
  });

  test('does not interrupt a line', () => {
    new PageVoice(
      () => {},
      () => {},
    ).speak(line(1));
    unlock();
    expect(speech.speaking).toBe(true);
    expect(speech.spoken).toHaveLength(1);
  });

  test('does nothing before the first click, or without speech synthesis', () => {
    vi.stubGlobal('navigator', { userActivation: { hasBeenActive: false } });
    unlock();
    expect(speech.spoken).toEqual([]);
    vi.stubGlobal('speechSynthesis', undefined);
    unlock();
  });
});
