import { availableParallelism } from 'node:os';
import type { Config } from './config.ts';
import { composedPartner } from './conversation/composed-partner.ts';
import type { OpenPartner } from './conversation/partner.ts';
import { openaiHearing } from './hearing/openai.ts';
import { openVoiceActivity } from './hearing/voice-activity.ts';
import { modelMind } from './mind/model/model.ts';
import { scriptedMind } from './mind/script/script.ts';
import { sampleRate } from './realtime/live-item.ts';
import { type RealtimeEngine, realtimePartner } from './realtime/partner.ts';
import { atSampleRate } from './speech/at-sample-rate.ts';
import { cached } from './speech/cached.ts';
import { openFlite } from './speech/flite/flite.ts';
import { openaiSpeech } from './speech/openai.ts';
import type { Speech } from './speech/speech.ts';

export interface Engines {
  partner: OpenPartner;
  close(): Promise<void>;
}

/** Synthesis threads: one per two cores, at most four. One core synthesises for about thirty concurrent listeners. */
const threads = () => Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));

type EngineConfig = Pick<Config, 'mind' | 'speech' | 'hearing'>;

/** Opens the configured engines. Resolves when they are ready. */
export function openEngines(config: EngineConfig): Promise<Engines> {
  return config.mind.kind === 'realtime'
    ? openRealtime(config.mind, config)
    : openSeparate(config.mind, config);
}

/** One model that hears and speaks. The speech engine only speaks the sentence that reports a failure. */
async function openRealtime(engine: RealtimeEngine, config: EngineConfig): Promise<Engines> {
  const [speech, detector] = await Promise.all([
    openSpeech(config.speech),
    config.hearing.kind === 'off' ? undefined : openVoiceActivity(),
  ]);
  return {
    partner: realtimePartner({
      engine,
      speech: speech === undefined ? undefined : atSampleRate(speech, sampleRate),
      detector,
    }),
    close: async () => speech?.close(),
  };
}

async function openSeparate(
  mind: Exclude<Config['mind'], { kind: 'realtime' }>,
  config: EngineConfig,
): Promise<Engines> {
  const [speech, detector] = await Promise.all([
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
    close: async () => speech?.close(),
  };
}

async function openSpeech(speech: Config['speech']): Promise<Speech | undefined> {
  if (speech.kind === 'captions') return undefined;
  return cached(speech.kind === 'openai' ? openaiSpeech(speech) : await openFlite(threads()));
}
