import { availableParallelism } from 'node:os';
import type { Config } from './config.ts';
import type { Hearing } from './hearing/hearing.ts';
import { openaiHearing } from './hearing/openai.ts';
import { type Detector, openVoiceActivity } from './hearing/voice-activity.ts';
import type { Mind } from './mind/mind.ts';
import { modelMind } from './mind/model/model.ts';
import { scriptedMind } from './mind/script/script.ts';
import { cached } from './speech/cached.ts';
import { openFlite } from './speech/flite/flite.ts';
import { openaiSpeech } from './speech/openai.ts';
import type { Speech } from './speech/speech.ts';

export interface Engines {
  mind: Mind;
  speech: Speech | undefined;
  hearing: Hearing | 'page' | 'off';
  /** Absent where the runtime does not listen itself. */
  detector: (() => Detector) | undefined;
  close(): Promise<void>;
}

/** Threads that speak: one for every two cores, since a core speaks for thirty listeners at once. */
const threads = () => Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));

/** Opens what the configuration names; whatever needs time to get going has had it when this resolves. */
export async function openEngines(config: Pick<Config, 'mind' | 'speech' | 'hearing'>): Promise<Engines> {
  const [speech, detector] = await Promise.all([
    openSpeech(config.speech),
    config.hearing.kind === 'openai' ? openVoiceActivity() : undefined,
  ]);
  return {
    mind: config.mind.kind === 'openai' ? modelMind(config.mind) : scriptedMind(),
    speech,
    hearing: config.hearing.kind === 'openai' ? openaiHearing(config.hearing) : config.hearing.kind,
    detector,
    close: async () => speech?.close(),
  };
}

async function openSpeech(speech: Config['speech']): Promise<Speech | undefined> {
  if (speech.kind === 'captions') return undefined;
  return cached(speech.kind === 'openai' ? openaiSpeech(speech) : await openFlite(threads()));
}
