import { afterEach, expect, test } from 'vitest';
import type { Sentence } from '../../src/speech/speech.ts';
import { instantSpeech } from '../harness/engines.ts';
import { settled } from '../harness/fake-clock.ts';
import { closeConversations, openConversation as open } from '../harness/open-conversations.ts';

afterEach(closeConversations);

const greeting = Array.from({ length: 12 }, (_, n) => `This is sentence number ${n + 1} of twelve.`).join(
  ' ',
);
const mind = { greeting: { en: greeting } };

/** A speech engine that never finishes. Records the requested and the aborted sentences. */
function pendingSpeech() {
  const asked: Sentence[] = [];
  const givenUp: string[] = [];
  const speech = instantSpeech({
    speak: (sentence, signal) => {
      asked.push(sentence);
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          givenUp.push(sentence.text);
          reject(signal.reason);
        });
      });
    },
  });
  return { speech, asked, givenUp };
}

test.each(['interrupt', 'text', 'bye'] as const)('%s cancels every pending synthesis', async (type) => {
  const { speech, asked, givenUp } = pendingSpeech();
  const { receive } = open({ mind }, { speech });
  await settled();
  const texts = asked.map(({ text }) => text);
  expect(texts.length).toBeGreaterThan(1);
  await receive(type === 'text' ? { type, id: 'a', text: 'Hello?' } : { type });
  expect(givenUp).toEqual(texts);
});

test('all pieces of a session carry the same session identity, and another session has a different one', async () => {
  const { speech, asked } = pendingSpeech();
  open({ mind }, { speech });
  await settled();
  const first = new Set(asked.map(({ session }) => session));
  open({ mind }, { speech });
  await settled();
  expect(first.size).toBe(1);
  expect(new Set(asked.map(({ session }) => session)).size).toBe(2);
});

test('while the client is disconnected no further piece is synthesised', async () => {
  const speech = instantSpeech();
  const { conversation, connection, play, resume, clock } = open({ mind }, { speech });
  await play(500);
  conversation.lost();
  await settled();
  const before = speech.spoken.length;
  await clock.pass(20_000);
  expect(speech.spoken.length).toBe(before);
  resume(connection.events.at(-1)!.seq);
  await clock.pass(10_000);
  expect(speech.spoken.length).toBeGreaterThan(before);
});
