import { expect, test } from 'vitest';
import { defaultTexts } from '../src/default-texts.ts';
import { disclosures, type Engines } from '../src/player/disclosures.ts';

const { pageVoice, noVoice, noVoiceForOne, heardHere, heardInPage, noHearing } = defaultTexts;

/** The sentences about the voice, for the kinds of speech of the first and the second language. */
function voices(first: string, second?: string): string[] {
  const engines: Engines = {
    mind: { kind: 'script' },
    speech: { kind: first },
    ...(second === undefined ? {} : { secondarySpeech: { kind: second } }),
    hearing: { kind: 'server', name: 'moonshine-tiny' },
  };
  return disclosures(engines, undefined, (key) => defaultTexts[key]).slice(1, -1);
}

test.each([
  ['server', undefined, []],
  ['client', undefined, [pageVoice]],
  ['captions', undefined, [noVoice]],
  ['server', 'server', []],
  ['server', 'client', [pageVoice]],
  ['server', 'captions', [noVoiceForOne]],
  ['captions', 'server', [noVoiceForOne]],
  ['client', 'captions', [pageVoice, noVoiceForOne]],
  ['captions', 'client', [pageVoice, noVoiceForOne]],
  ['captions', 'captions', [noVoice]],
])('a session with the voices %s and %s discloses them', (first, second, expected) => {
  expect(voices(first, second)).toEqual(expected);
});

test.each([
  [{ kind: 'server', name: 'moonshine-tiny' }, heardHere],
  [{ kind: 'server', name: 'whisper-1' }, 'Your speech is understood by whisper-1.'],
  [{ kind: 'client', name: 'SpeechRecognition' }, heardInPage],
  [{ kind: 'none' }, noHearing],
])('says where speech goes that %j understands', (hearing, expected) => {
  const engines: Engines = { mind: { kind: 'script' }, speech: { kind: 'server' }, hearing };
  expect(disclosures(engines, undefined, (key) => defaultTexts[key]).at(-1)).toBe(expected);
});
