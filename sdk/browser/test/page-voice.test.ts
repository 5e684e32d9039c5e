import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PageVoice } from '../src/transport/page-voice.ts';

/** A speech synthesiser that takes one second per text. If cancelled, it fires an error event after a short delay. */
class FakeSpeech {
  readonly spoken: { text: string; volume: number }[] = [];
  #line: SpeechSynthesisUtterance | undefined;

  getVoices(): SpeechSynthesisVoice[] {
    return [];
  }

  speak(line: SpeechSynthesisUtterance): void {
    this.#line = line;
    this.spoken.push({ text: line.text, volume: line.volume });
    setTimeout(() => this.#line === line && line.onend?.({} as SpeechSynthesisEvent), 1000);
  }

  cancel(): void {
    const line = this.#line;
    this.#line = undefined;
    setTimeout(() => line?.onerror?.({} as SpeechSynthesisErrorEvent));
  }

  get isSpeaking(): boolean {
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
  const voice = new PageVoice((utterance, _ms, isDone) => isDone && done.push(utterance));
  voice.volume = 1;
  voice.speak(line(1));
  vi.advanceTimersByTime(300);
  voice.volume = 0.5;
  expect(speech.isSpeaking).toBe(true);
  voice.volume = 0;
  expect(speech.isSpeaking).toBe(false);
  voice.speak(line(2));
  vi.advanceTimersByTime(5000);
  expect(done).toEqual([1, 2]);
  expect(speech.spoken.map(({ volume }) => volume)).toEqual([1, 0]);
});
