import { audioFrame } from '@session-launch/contract/runtime/protocol';
import type { ListeningCalls, SpeechInput } from '../conversation/partner.ts';
import { SpeechTurns, type SpeechTurnsDeps } from '../conversation/speech-turns.ts';
import { concatenated } from '../samples.ts';
import type { RealtimeDialogue } from './dialogue.ts';
import type { RealtimeSession } from './session.ts';

export interface HeardSpeechDeps extends SpeechTurnsDeps {
  session: RealtimeSession;
  dialogue: RealtimeDialogue;
}

/** Samples that are passed on at a time: 100 ms. */
const batchSamples = audioFrame.inputSampleRate / 10;

/** Passes the user's turns to a model that hears, while they are spoken. */
export class HeardSpeech implements SpeechInput {
  readonly #deps: HeardSpeechDeps;
  readonly #calls: ListeningCalls;
  readonly #turns: SpeechTurns;
  #batch: Int16Array[] = [];
  #batchSamples = 0;
  #isInterrupting = false;

  constructor(deps: HeardSpeechDeps, calls: ListeningCalls) {
    this.#deps = deps;
    this.#calls = calls;
    this.#turns = new SpeechTurns(deps, {
      activity: () => calls.activity(),
      speaking: (isSpeaking) => calls.speaking(isSpeaking),
      pressed: () => calls.pressed(),
      began: () => {
        this.#isInterrupting = false;
        deps.session.beginTurn();
      },
      heard: (samples) => this.#hear(samples),
      bargedIn: () => {
        this.#isInterrupting = true;
        calls.interrupt();
      },
      ended: () => this.#answer(),
      tooShort: () => this.#drop(),
    });
  }

  push(samples: Int16Array): void {
    this.#turns.push(samples);
  }

  start(): void {
    this.#turns.start();
  }

  end(): void {
    this.#turns.end();
  }

  close(): void {
    this.#turns.close();
  }

  #hear(samples: Int16Array): void {
    this.#batch.push(samples);
    this.#batchSamples += samples.length;
    if (this.#batchSamples >= batchSamples) this.#flush();
  }

  #flush(): void {
    if (this.#batchSamples > 0) this.#deps.session.hear(concatenated(this.#batch));
    this.#batch = [];
    this.#batchSamples = 0;
  }

  #answer(): void {
    // A sound too short to interrupt the character, such as a cough, is no turn while it speaks.
    if (!this.#isInterrupting && this.#calls.isCharacterActive()) {
      this.#drop();
      return;
    }
    this.#flush();
    this.#calls.spoke((heard, signal) => this.#deps.dialogue.answerAudio(heard, signal));
  }

  #drop(): void {
    this.#batch = [];
    this.#batchSamples = 0;
    this.#deps.session.dropTurn();
  }
}
