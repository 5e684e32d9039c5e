import type { Connected } from '@session-launch/contract/runtime/lifecycle';
import {
  type AudioFormat,
  audioFrame,
  bounds,
  type Engines,
  type Hello,
  protocolVersion,
  type UnnumberedEvent,
} from '@session-launch/contract/runtime/protocol';
import type { Hearing } from '../hearing/hearing.ts';
import type { Mind } from '../mind/mind.ts';
import { preSkip } from '../opus/packets.ts';
import type { SpeechOutput } from './speech-output.ts';

/** The formats of a connection. */
export type Formats = Record<'input' | 'output', AudioFormat>;

/** The first format of each list that the runtime supports. */
export function chooseFormats(
  { input, output }: NonNullable<Hello['audio']> = {},
  hasOpus: boolean,
): Formats {
  const choose = (offered: readonly string[] = []) =>
    offered.find((format): format is AudioFormat => format === 'pcm16' || (format === 'opus' && hasOpus)) ??
    'pcm16';
  return { input: choose(input), output: choose(output) };
}

/** Builds the `ready` event, the first one on every connection. */
export function readyEvent(
  { session, manifest, limits }: Connected,
  opening: {
    engines: Engines;
    formats: Formats;
    sampleRate: number;
    ticket: string;
    resumed: boolean;
  },
): UnnumberedEvent {
  const { engines, formats, sampleRate, ticket, resumed } = opening;
  const { sessionId, locale, secondaryLocale } = session;
  return {
    type: 'ready',
    protocol: protocolVersion,
    sessionId,
    resumeTicket: ticket,
    resumed,
    audio: {
      input: { format: formats.input, sampleRate: audioFrame.inputSampleRate },
      output: {
        format: formats.output,
        sampleRate,
        ...(formats.output === 'opus' ? { preSkip: preSkip(sampleRate) } : {}),
      },
    },
    engines,
    characters: manifest.characters.map(({ characterId }) => ({
      characterId,
      locale,
      ...(secondaryLocale === undefined ? {} : { secondaryLocale }),
    })),
    limits: { ...limits, heartbeatSeconds: bounds.heartbeatSeconds },
  };
}

/** Describes the mind, speech and hearing engines of a session. `hearing` is `none` if speech input is off or cannot be transcribed. */
export function describeEngines(
  deps: { mind: Mind; hearing: Hearing | 'page' | 'off'; speechOutput: SpeechOutput },
  { speechInputMode, locale, secondaryLocale }: Connected['session'],
  hello: Hello,
): Engines {
  const { mind, hearing, speechOutput } = deps;
  const cannotTranscribe = hearing === 'page' && (hello.speech?.recognition.length ?? 0) === 0;
  const speechIn = (tag: string) => ({ kind: speechOutput.kindFor(tag), name: speechOutput.nameFor(tag) });
  return {
    mind: { kind: mind.kind, name: mind.name },
    speech: speechIn(locale),
    ...(secondaryLocale === undefined ? {} : { secondarySpeech: speechIn(secondaryLocale) }),
    hearing:
      speechInputMode === 'off' || hearing === 'off' || cannotTranscribe
        ? { kind: 'none' }
        : hearing === 'page'
          ? { kind: 'client', name: 'SpeechRecognition' }
          : { kind: 'server', name: hearing.name },
  };
}
