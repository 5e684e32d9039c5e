import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Conversation } from '../src/transport/conversation.ts';
import { pageSpeech } from '../src/transport/page-speech.ts';
import type { SessionManifest, SpeechCue, TransportContext } from '../src/types.ts';
import { FakeAudio, FakeWorkletNode } from './fake-audio.ts';
import { manifest } from './fake-environment.ts';
import { FakeRecogniser } from './fake-recogniser.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function open(
  hearing = 'none',
  audio?: FakeAudio,
  speechInputMode: SessionManifest['speechInputMode'] = 'auto',
): { conversation: Conversation; sent: object[]; cues: SpeechCue[] } {
  const sent: object[] = [];
  const cues: SpeechCue[] = [];
  const context = {
    manifest: manifest({ secondaryLocale: 'pt-PT', speechInputMode }),
    audio,
    sink: { cue: (cue: SpeechCue) => cues.push(cue) },
  };
  const ready = {
    engines: { speech: { kind: 'server' }, hearing: { kind: hearing } },
    audio: { output: { sampleRate: 16_000 } },
  };
  const conversation = new Conversation(
    context as unknown as TransportContext,
    ready as unknown as ConstructorParameters<typeof Conversation>[1],
    audio !== undefined,
    { send: (message) => sent.push(message), sendAudio: () => {}, enginesChanged: () => {} },
    pageSpeech,
  );
  return { conversation, sent, cues };
}

function utter(conversation: Conversation, speech: 'server' | 'captions', utterance = 1): void {
  const line = { utterance, messageId: 'm', characterId: 'sayo', locale: 'en', text: 'Good day.' };
  conversation.event({ type: 'utterance', seq: 2, ...line, speech });
  const cues: [number, 'aa' | 'sil'][] = [
    [0, 'aa'],
    [900, 'sil'],
  ];
  conversation.event({ type: 'cues', seq: 3, utterance, source: 'text', cues });
}

test('captions animate the mouth for as long as speech would take', () => {
  const { conversation, sent, cues } = open();
  utter(conversation, 'captions');
  expect(cues).toMatchObject([{ type: 'speech', characterId: 'sayo' }]);
  vi.advanceTimersByTime(500);
  expect(cues[0]!.clock()).toBe(500);
  vi.advanceTimersByTime(500);
  expect(cues[0]!.clock()).toBeNaN();
  expect(sent).toEqual([]);
});

test('a page that cannot play audio reports playback by the clock', () => {
  const { conversation, sent } = open();
  utter(conversation, 'server');
  vi.advanceTimersByTime(899);
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual([{ type: 'played', utterance: 1, ms: 900, done: true }]);
});

describe('an utterance that is sent while its speech arrives', () => {
  const cues = (conversation: Conversation, ms: number, more?: true) =>
    conversation.event({
      ...{ type: 'cues', seq: 4, utterance: 1, source: 'text', ...(more && { more }) },
      cues: [
        [ms - 300, 'O'],
        [ms, 'sil'],
      ],
    });
  const begin = (conversation: Conversation) => {
    const line = { utterance: 1, messageId: 'm', characterId: 'sayo', locale: 'en', text: '' };
    conversation.event({ type: 'utterance', seq: 2, ...line, speech: 'server' });
    cues(conversation, 400, true);
  };

  test('has one animation, to which later mouth shapes are added', () => {
    const { conversation, cues: shown } = open();
    begin(conversation);
    cues(conversation, 800, true);
    cues(conversation, 1200);
    expect(shown).toHaveLength(1);
    expect(shown[0]!.cues.map(([ms]) => ms)).toEqual([100, 400, 500, 800, 900, 1200]);
    vi.advanceTimersByTime(1000);
    expect(shown[0]!.clock()).toBe(1000);
  });

  test('is reported as played part by part, and as done after its last mouth shapes', () => {
    const { conversation, sent } = open();
    begin(conversation);
    vi.advanceTimersByTime(400);
    cues(conversation, 800);
    vi.advanceTimersByTime(400);
    expect(sent).toEqual([
      { type: 'played', utterance: 1, ms: 400, done: undefined },
      { type: 'played', utterance: 1, ms: 800, done: true },
    ]);
  });
});

test('an interrupted utterance stops at once and is not reported as played', () => {
  const { conversation, sent, cues } = open();
  utter(conversation, 'server');
  vi.advanceTimersByTime(300);
  conversation.event({ type: 'interrupted', seq: 4, utterance: 1, atMs: 300 });
  expect(cues[0]!.clock()).toBeNaN();
  vi.advanceTimersByTime(5000);
  expect(sent).toEqual([]);
});

test('recognition uses the language of the lesson, otherwise the primary language', () => {
  FakeRecogniser.all = [];
  vi.stubGlobal('SpeechRecognition', FakeRecogniser);
  const { conversation, sent } = open('client');
  const language = () => {
    vi.advanceTimersByTime(1000);
    const [listening, ...others] = FakeRecogniser.all.filter(({ isListening }) => isListening);
    expect(others).toEqual([]);
    return listening?.lang;
  };
  const suggest = (locale: string) =>
    conversation.event({ type: 'suggestions', seq: 2, items: [{ text: 'Bom dia', locale }] });
  conversation.setMic({} as MediaStreamTrack);
  expect(language()).toBe('en');
  conversation.mode('listening');
  suggest('en-GB');
  expect(language()).toBe('en');
  suggest('pt');
  expect(language()).toBe('pt-PT');
  FakeRecogniser.all.at(-1)!.say('Bom dia', true);
  expect(sent).toMatchObject([{ type: 'transcript', text: 'Bom dia', locale: 'pt-PT' }]);
  conversation.mode('speaking');
  expect(language()).toBe(undefined);
  // The next turn is no longer in the language of the lesson.
  conversation.mode('listening');
  expect(language()).toBe('en');
  conversation.close();
});

describe('recognition by the browser', () => {
  beforeEach(() => {
    FakeRecogniser.all = [];
    vi.stubGlobal('SpeechRecognition', FakeRecogniser);
  });
  const current = () => FakeRecogniser.all.at(-1)!;

  test('reports the words that precede the switching off of the microphone', () => {
    const { conversation, sent } = open('client');
    conversation.setMic({} as MediaStreamTrack);
    current().say('Some', false);
    conversation.setMic(null);
    conversation.mode('listening');
    current().say('Some tea, please.', true);
    expect(sent).toMatchObject([
      { text: 'Some', status: 'interim' },
      { text: 'Some tea, please.', status: 'final' },
    ]);
    conversation.close();
  });

  test('discards what it hears while the character speaks, and after the end', () => {
    const { conversation, sent } = open('client');
    conversation.setMic({} as MediaStreamTrack);
    conversation.mode('speaking');
    current().say('Welcome.', true);
    conversation.mode('listening');
    conversation.setMic(null);
    conversation.close();
    current().say('Too late.', true);
    expect(sent).toEqual([]);
  });

  test.each([
    ['manual', [{ type: 'interrupt' }]],
    ['auto', []],
  ] as const)(
    'in %s mode, switching the microphone on while the character speaks sends %j',
    (mode, expected) => {
      const { conversation, sent } = open('client', undefined, mode);
      conversation.mode('speaking');
      conversation.setMic({} as MediaStreamTrack);
      expect(sent).toEqual(expected);
      conversation.close();
    },
  );
});

function openWithSound() {
  vi.stubGlobal('AudioWorkletNode', FakeWorkletNode);
  const audio = new FakeAudio();
  const opened = open('none', audio);
  utter(opened.conversation, 'server', 1);
  utter(opened.conversation, 'server', 2);
  return { audio, ...opened };
}

test('while the browser blocks audio, the text advances by the clock', () => {
  const { audio, sent, cues } = openWithSound();
  vi.advanceTimersByTime(300);
  expect(cues.map(({ clock }) => clock())).toEqual([300, -600]);
  vi.advanceTimersByTime(600);
  expect(sent).toEqual([{ type: 'played', utterance: 1, ms: 900, done: true }]);
  vi.advanceTimersByTime(900);
  expect(sent.slice(1)).toEqual([{ type: 'played', utterance: 2, ms: 900, done: true }]);
  // Audio that was skipped is not played later.
  expect(audio.posted).toEqual([{ id: 1 }, { id: 2 }]);
});

test('a sentence during which audio is unblocked plays from its start, timed by the audio', () => {
  const { audio, sent, cues } = openWithSound();
  vi.advanceTimersByTime(1200);
  audio.state = 'running';
  vi.advanceTimersByTime(5000);
  expect(sent).toEqual([{ type: 'played', utterance: 1, ms: 900, done: true }]);
  expect(cues[1]!.clock()).toBe(-1);
  audio.progress({ id: 2, at: 8000, time: 0, done: false });
  expect(cues[1]!.clock()).toBe(500);
  expect(sent.slice(1)).toEqual([{ type: 'played', utterance: 2, ms: 500 }]);
});

test('the mouth rests while audio is missing, and resumes with it', () => {
  const { audio, cues } = openWithSound();
  audio.state = 'running';
  audio.progress({ id: 1, at: 8000, time: 0, done: false });
  audio.currentTime = 0.5;
  expect(cues[0]!.clock()).toBe(750);
  audio.currentTime = 0.7;
  expect(cues[0]!.clock()).toBe(-1);
  audio.progress({ id: 1, at: 9600, time: 0.7, done: false });
  expect(cues[0]!.clock()).toBe(600);
});
