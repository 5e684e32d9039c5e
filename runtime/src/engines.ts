import { availableParallelism } from 'node:os';
import type { Config } from './config.ts';
import { composedPartner } from './conversation/composed-partner.ts';
import type { OpenPartner } from './conversation/partner.ts';
import { reasonOf } from './endpoint.ts';
import type { Hearing } from './hearing/hearing.ts';
import { openLocalHearing } from './hearing/local/open.ts';
import { openaiHearing } from './hearing/openai.ts';
import { openVoiceActivity } from './hearing/voice-activity.ts';
import { modelMind } from './mind/model/model.ts';
import { scriptedMind } from './mind/script/script.ts';
import { OpusCodec } from './opus/codec.ts';
import { sampleRate } from './realtime/live-item.ts';
import { type RealtimeEngine, realtimePartner } from './realtime/partner.ts';
import { atSampleRate } from './speech/at-sample-rate.ts';
import { byLanguage } from './speech/by-language.ts';
import { cached } from './speech/cached.ts';
import { openEspeak } from './speech/espeak/espeak.ts';
import { openFlite } from './speech/flite/flite.ts';
import { openaiSpeech } from './speech/openai.ts';
import type { Speech } from './speech/speech.ts';

export interface Engines {
  partner: OpenPartner;
  /** What recognises speech: the name of an engine, `page` or `off`. May change while the process runs. */
  hearing(): string;
  /** Absent: all audio is sent as PCM. */
  codec?: OpusCodec | undefined;
  close(): Promise<void>;
}

/** Synthesis threads, and processes of eSpeak NG: one per two cores, at most four. One core synthesises for about thirty concurrent listeners. */
const threads = () => Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));

type Warn = (problem: string) => void;
type EngineConfig = Pick<Config, 'mind' | 'speech' | 'hearing'>;

/**
 * Opens the configured engines and the codec. Resolves when they are ready. `warn` logs a sentence about an optional engine that cannot be
 * used, now or later.
 */
export async function openEngines(config: EngineConfig, warn: Warn): Promise<Engines> {
  const { mind } = config;
  const [engines, codec] = await Promise.all([
    mind.kind === 'realtime' ? openRealtime(mind, config, warn) : openSeparate(mind, config, warn),
    OpusCodec.open().catch((error: Error) => error),
  ]);
  if (codec instanceof Error) {
    warn(`Opus is not available: ${codec.message}`);
    return engines;
  }
  return {
    ...engines,
    codec,
    close: async () => {
      await Promise.all([engines.close(), codec.close()]);
    },
  };
}

/** One model that hears and speaks. The speech engine only speaks the sentence that reports a failure. */
async function openRealtime(engine: RealtimeEngine, config: EngineConfig, warn: Warn): Promise<Engines> {
  const [speech, detector] = await Promise.all([
    openSpeech(config.speech, warn),
    config.hearing.kind === 'off' ? undefined : openVoiceActivity(),
  ]);
  return {
    partner: realtimePartner({
      engine,
      speech: speech === undefined ? undefined : atSampleRate(speech, sampleRate),
      detector,
    }),
    hearing: () => (config.hearing.kind === 'off' ? 'off' : engine.model),
    close: async () => speech?.close(),
  };
}

async function openSeparate(
  mind: Exclude<Config['mind'], { kind: 'realtime' }>,
  config: EngineConfig,
  warn: Warn,
): Promise<Engines> {
  const [speech, hearing] = await Promise.all([
    openSpeech(config.speech, warn),
    openHearing(config.hearing, warn),
  ]);
  const detector = typeof hearing === 'string' ? undefined : await openVoiceActivity();
  return {
    partner: composedPartner({
      mind: mind.kind === 'openai' ? modelMind(mind) : scriptedMind(),
      speech,
      hearing,
      detector,
    }),
    hearing: () =>
      typeof hearing === 'string' ? hearing : (hearing.hears?.('en') ?? true) ? hearing.name : 'page',
    close: async () => {
      await Promise.all([speech?.close(), typeof hearing === 'string' ? undefined : hearing.close?.()]);
    },
  };
}

async function openHearing(hearing: Config['hearing'], warn: Warn): Promise<Hearing | 'page' | 'off'> {
  if (hearing.kind === 'openai') return openaiHearing(hearing);
  if (hearing.kind === 'local') return openLocalHearing({ max: threads(), warn });
  return hearing.kind;
}

async function openSpeech(speech: Config['speech'], warn: Warn): Promise<Speech | undefined> {
  if (speech.kind === 'captions') return undefined;
  if (speech.kind === 'openai') return cached(openaiSpeech(speech));
  const [flite, { espeak, problem }] = await Promise.all([openFlite(threads()), installedEspeak(speech)]);
  if (problem !== undefined) warn(problem);
  return cached(espeak === undefined ? flite : byLanguage([flite, espeak]));
}

/** eSpeak NG if it is installed and works. `problem` is set if it fails, or is missing although the operator named it. */
export async function installedEspeak({
  espeak: { program, isNamed },
}: Extract<Config['speech'], { kind: 'flite' }>): Promise<{ espeak?: Speech | undefined; problem?: string }> {
  if (program === undefined) return {};
  try {
    const espeak = await openEspeak(program, threads());
    return espeak === undefined && isNamed ? { problem: `ESPEAK: ${program} was not found` } : { espeak };
  } catch (error) {
    return { problem: `ESPEAK: ${program} does not work: ${reasonOf(error as Error)}` };
  }
}
