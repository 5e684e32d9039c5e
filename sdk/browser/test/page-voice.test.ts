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

const voices: PageVoice[] = [];

function open(...told: ConstructorParameters<typeof PageVoice>): PageVoice {
  const voice = new PageVoice(...told);
  voices.push(voice);
  return voice;
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
  // Lines wait for those of earlier players of the page.
  for (const voice of voices.splice(0)) voice.drop();
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
  const voice = open(
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

/** Two players of a page, and which of their lines have ended. */
function twoPlayers() {
  const done: string[] = [];
  const [one, other] = ['one', 'other'].map((name) =>
    open(
      (utterance, _ms, isDone) => isDone && done.push(`${name} ${utterance}`),
      () => {},
    ),
  ) as [PageVoice, PageVoice];
  return { one, other, done };
}

describe('two players with the voice of the page', () => {
  test('take turns, and the time limit of a line begins with its turn', () => {
    const done: number[] = [];
    const told: boolean[] = [];
    const players = Array.from({ length: 6 }, () =>
      open(
        (utterance, _ms, isDone) => isDone && done.push(utterance),
        (isAudible) => told.push(isAudible),
      ),
    );
    // The last line waits for five seconds; its time limit is four.
    for (const [n, player] of players.entries()) player.speak(line(n));
    vi.advanceTimersByTime(5500);
    expect(done).toEqual([0, 1, 2, 3, 4]);
    expect(players[5]!.clock(5)).toBeGreaterThan(0);
    vi.advanceTimersByTime(5000);
    expect(done.at(-1)).toBe(5);
    expect([speech.spoken.length, told]).toEqual([6, []]);
  });

  test.each([
    ['interrupting one', (voice: PageVoice) => voice.drop()],
    [
      'muting one',
      (voice: PageVoice) => {
        voice.volume = 0;
      },
    ],
  ])('%s that waits does not cut off the other', (_, silence) => {
    const { one, other, done } = twoPlayers();
    one.speak(line(1));
    other.speak(line(2));
    vi.advanceTimersByTime(300);
    silence(other);
    expect(speech.speaking).toBe(true);
    vi.advanceTimersByTime(5000);
    expect(done.filter((text) => text.startsWith('one'))).toEqual(['one 1']);
    expect(speech.spoken).toHaveLength(1);
  });

  test('interrupting the one that speaks lets the other begin', () => {
    const { one, other, done } = twoPlayers();
    one.speak(line(1));
    other.speak(line(2));
    vi.advanceTimersByTime(300);
    one.drop();
    vi.advanceTimersByTime(300);
    expect(other.clock(2)).toBeGreaterThan(0);
    vi.advanceTimersByTime(5000);
    expect(done).toEqual(['other 2']);
  });
});

describe('a line that the browser does not speak', () => {
  function openTelling() {
    const told: unknown[] = [];
    const voice = open(
      (utterance, _ms, isDone) => isDone && told.push(`done ${utterance}`),
      (isAudible) => told.push(isAudible ? 'audible' : 'silent'),
    );
    return { voice, told };
  }

  test('is reported as silent when it times out, and the next one that starts as audible', () => {
    const { voice, told } = openTelling();
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
    const { voice, told } = openTelling();
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
    open(
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
