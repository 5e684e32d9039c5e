import {
  type ClientMessage,
  type Hello,
  type RuntimeEvent,
  runtimeEvents,
} from '@session-launch/contract/runtime/protocol';
import type { EndReason } from '@session-launch/contract/session';
import { Compile } from 'typebox/compile';
import type { ClientConnection } from '../../src/conversation/client-connection.ts';
import { composedPartner, type SeparateEngines } from '../../src/conversation/composed-partner.ts';
import { Conversation, type ConversationDeps } from '../../src/conversation/conversation.ts';
import { scriptedMind } from '../../src/mind/script/script.ts';
import type { Refusal } from '../../src/refusals.ts';
import { instantSpeech, loudnessDetector } from './engines.ts';
import { FakeClock, settled } from './fake-clock.ts';
import { connectedSession, type SessionOptions } from './session.ts';

const checks = new Map(Object.entries(runtimeEvents).map(([type, schema]) => [type, Compile(schema)]));

/** An in-memory client connection. Validates every event against the protocol. */
export class RecordedConnection implements ClientConnection {
  readonly events: RuntimeEvent[] = [];
  readonly audio: { utterance: number; offset: number; samples: number; isLast: boolean }[] = [];
  closed: { code: number; reason: string } | undefined;
  unsent = 0;

  sendText(json: string): void {
    const event = JSON.parse(json) as RuntimeEvent;
    const check = checks.get(event.type);
    if (!check?.Check(event)) throw new Error(`not an event of the protocol: ${json}`);
    this.events.push(event);
  }

  sendAudio(frame: Uint8Array): void {
    const view = new DataView(frame.buffer, frame.byteOffset);
    this.audio.push({
      utterance: view.getUint16(2, true),
      offset: view.getUint32(4, true),
      samples: (frame.length - 8) / 2,
      isLast: view.getUint8(1) === 1,
    });
  }

  close(code: number, reason: string): void {
    this.closed = { code, reason };
  }

  refuse({ closeCode, code }: Refusal): void {
    this.close(closeCode, code);
  }

  of<T extends RuntimeEvent['type']>(type: T): Extract<RuntimeEvent, { type: T }>[] {
    return this.events.filter((event) => event.type === type) as Extract<RuntimeEvent, { type: T }>[];
  }

  /** The sequence of event types; `mode` events appear as the name of the mode. */
  get story(): string[] {
    return this.events.map((event) => (event.type === 'mode' ? event.mode : event.type));
  }
}

export interface TestConversation {
  clock: FakeClock;
  conversation: Conversation;
  connection: RecordedConnection;
  ended: { reason: EndReason; seconds: number }[];
  /** Failures that were reported to observers. */
  failures: string[];
  /** Unexpected errors. */
  faults: Error[];
  receive(message: ClientMessage): Promise<void>;
  /** Resumes on a new connection, with the ticket of the previous one. */
  resume(lastSeq: number): RecordedConnection;
  /** Advances the clock while the client plays its buffered audio and sends `played` ten times per second. */
  play(ms: number): Promise<void>;
}

type ConversationOptions = Partial<ConversationDeps & SeparateEngines> & { hello?: Partial<Hello> };

/** Creates a conversation with a fake clock and engines that respond without delay. */
export function startConversation(
  options: SessionOptions = {},
  { hello, mind, speech, hearing, detector, ...more }: ConversationOptions = {},
): TestConversation {
  const clock = new FakeClock();
  const connection = new RecordedConnection();
  const ended: TestConversation['ended'] = [];
  const failures: string[] = [];
  const faults: Error[] = [];
  let tickets = 0;
  const conversation = new Conversation(
    {
      clock,
      partner: composedPartner({
        mind: mind ?? scriptedMind(() => 0),
        speech: speech ?? instantSpeech(),
        hearing: hearing ?? 'page',
        detector: detector ?? loudnessDetector,
      }),
      resumeSeconds: 30,
      newTicket: () => `rt_test.${++tickets}`,
      observer: {
        turn: () => {},
        said: () => {},
        used: () => {},
        ignored: () => {},
        engineFailed: (engine) => failures.push(engine),
        failed: (_, error) => faults.push(error),
      },
      callTool: async () => ({ outcome: 'network', output: 'The tool could not be reached.' }),
      ended: (reason, seconds) => ended.push({ reason, seconds }),
      ...more,
    },
    connectedSession(options),
    { type: 'hello', protocol: 1, client: { name: 'test', version: '1' }, ...hello },
  );
  conversation.begin(connection);
  const playing = new Map<number, number>();
  let latest = connection;
  return {
    clock,
    conversation,
    connection,
    ended,
    failures,
    faults,
    receive: async (message) => {
      conversation.receive(message);
      await settled();
    },
    resume: (lastSeq) => {
      const ticket = latest.of('ready')[0]!.resumeTicket;
      latest = new RecordedConnection();
      conversation.resume(latest, { ticket, lastSeq });
      return latest;
    },
    play: async (ms) => {
      for (let passed = 0; passed < ms; passed += 100) {
        await clock.pass(100);
        let left = 100;
        for (const { utterance, samples } of connection.audio)
          if (!playing.has(utterance) && samples > 0) playing.set(utterance, 0);
        for (const [utterance, played] of playing) {
          const sent = connection.audio
            .filter((one) => one.utterance === utterance)
            .reduce((sum, one) => sum + one.samples / 16, 0);
          const step = Math.min(left, sent - played);
          if (step <= 0) continue;
          left -= step;
          playing.set(utterance, played + step);
          conversation.receive({ type: 'played', utterance, ms: played + step });
        }
        await settled();
      }
    },
  };
}
