import { availableParallelism } from 'node:os';
import type { Config } from './config.ts';
import { composedPartner } from './conversation/composed-partner.ts';
import type { OpenPartner } from './conversation/partner.ts';
import { reasonOf } from './endpoint.ts';
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
  /** Absent: all audio is sent as PCM. */
  codec?: OpusCodec | undefined;
  close(): Promise<void>;
}

export interface OpenedEngines extends Engines {
  /** Optional engines that cannot be used, one sentence each. */
  problems: string[];
}

/** Synthesis threads, and processes of eSpeak NG: one per two cores, at most four. One core synthesises for about thirty concurrent listeners. */
const threads = () => Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));

type EngineConfig = Pick<Config, 'mind' | 'speech' | 'hearing'>;

/** Opens the configured engines and the codec. Resolves when they are ready. */
export async function openEngines(config: EngineConfig): Promise<OpenedEngines> {
  const { mind } = config;
  const opening = mind.kind === 'realtime' ? openRealtime(mind, config) : openSeparate(mind, config);
  const [engines, codec] = await Promise.all([opening, OpusCodec.open().catch((error: Error) => error)]);
  if (codec instanceof Error)
    return { ...engines, problems: [...engines.problems, `Opus is not available: ${codec.message}`] };
  return {
    ...engines,
    codec,
    close: async () => {
      await Promise.all([engines.close(), codec.close()]);
    },
  };
}

/** One model that hears and speaks. The speech engine only speaks the sentence that reports a failure. */
async function openRealtime(engine: RealtimeEngine, config: EngineConfig): Promise<OpenedEngines> {
  const [{ speech, problems }, detector] = await Promise.all([
    openSpeech(config.speech),
    config.hearing.kind === 'off' ? undefined : openVoiceActivity(),
  ]);
  return {
    partner: realtimePartner({
      engine,
      speech: speech === undefined ? undefined : atSampleRate(speech, sampleRate),
      detector,
    }),
    problems,
    close: async () => speech?.close(),
  };
}

async function openSeparate(
  mind: Exclude<Config['mind'], { kind: 'realtime' }>,
  config: EngineConfig,
): Promise<OpenedEngines> {
  const [{ speech, problems }, detector] = await Promise.all([
    openSpeech(config.speech),
    config.hearing.kind === 'openai' ? openVoiceActivity() : undefined,
  ]);
  return {
    partner: composedPartner({
      mind: mind.kind === 'openai' ? modelMind(mind) : scriptedMind(),
      speech,
      hearing: config.hearing.kind === 'openai' ? openaiHearing(config.hearing) : config.hearing.kind,
      detector,
    }),
    problems,
    close: async () => speech?.close(),
  };
}

/** The configured speech engine, and the sentences that report which optional ones cannot be used. */
interface OpenedSpeech {
  speech: Speech | undefined;
  problems: string[];
}

async function openSpeech(speech: Config['speech']): Promise<OpenedSpeech> {
  if (speech.kind === 'captions') return { speech: undefined, problems: [] };
  if (speech.kind === 'openai') return { speech: cached(openaiSpeech(speech)), problems: [] };
  const [flite, { espeak, problem }] = await Promise.all([openFlite(threads()), installedEspeak(speech)]);
  return {
    speech: cached(espeak === undefined ? flite : byLanguage([flite, espeak])),
    problems: problem === undefined ? [] : [problem],
  };
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
