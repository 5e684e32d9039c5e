import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Conversation } from '../src/transport/conversation.ts';
import type { SpeechCue, TransportContext } from '../src/types.ts';
import { manifest } from './fake-environment.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(): { conversation: Conversation; sent: object[]; cues: SpeechCue[] } {
  const sent: object[] = [];
  const cues: SpeechCue[] = [];
  const context = { manifest: manifest(), sink: { cue: (cue: SpeechCue) => cues.push(cue) } };
  const ready = {
    engines: { hearing: { kind: 'none' } },
    audio: { output: { sampleRate: 16_000 } },
  };
  const conversation = new Conversation(
    context as unknown as TransportContext,
    ready as unknown as ConstructorParameters<typeof Conversation>[1],
    false,
    { send: (message) => sent.push(message), sendAudio: () => {}, deaf: () => {} },
  );
  return { conversation, sent, cues };
}

function utter(conversation: Conversation, speech: 'server' | 'captions'): void {
  const line = { utterance: 1, messageId: 'm', characterId: 'sayo', locale: 'en', text: 'Good day.' };
  conversation.event({ type: 'utterance', seq: 2, ...line, speech });
  const cues: [number, 'aa' | 'sil'][] = [
    [0, 'aa'],
    [900, 'sil'],
  ];
  conversation.event({ type: 'cues', seq: 3, utterance: 1, source: 'text', cues });
}

test('captions move the mouth for as long as speech would take', () => {
  const { conversation, sent, cues } = open();
  utter(conversation, 'captions');
  expect(cues).toMatchObject([{ type: 'speech', characterId: 'sayo' }]);
  vi.advanceTimersByTime(500);
  expect(cues[0]!.clock()).toBe(500);
  vi.advanceTimersByTime(500);
  expect(cues[0]!.clock()).toBeNaN();
  expect(sent).toEqual([]);
});

test('a page that can play no sound does not keep the runtime waiting', () => {
  const { conversation, sent } = open();
  utter(conversation, 'server');
  vi.advanceTimersByTime(899);
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual([{ type: 'played', utterance: 1, ms: 900, done: true }]);
});

test('what is interrupted is over at once, and is not reported', () => {
  const { conversation, sent, cues } = open();
  utter(conversation, 'server');
  vi.advanceTimersByTime(300);
  conversation.event({ type: 'interrupted', seq: 4, utterance: 1, atMs: 300 });
  expect(cues[0]!.clock()).toBeNaN();
  vi.advanceTimersByTime(5000);
  expect(sent).toEqual([]);
});
