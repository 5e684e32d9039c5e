import { availableParallelism } from 'node:os';
import type { Config } from './config.ts';
import { composedPartner } from './conversation/composed-partner.ts';
import type { OpenPartner } from './conversation/partner.ts';
import type { Hearing } from './hearing/hearing.ts';
import { openLocalHearing } from './hearing/local/open.ts';
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
  /** What recognises speech: the name of an engine, `page` or `off`. May change while the process runs. */
  hearing(): string;
  close(): Promise<void>;
}

/** Synthesis threads: one per two cores, at most four. One core synthesises for about thirty concurrent listeners. */
const threads = () => Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));

type Warn = (problem: string) => void;
type EngineConfig = Pick<Config, 'mind' | 'speech' | 'hearing'>;

/** Opens the configured engines. Resolves when they are ready. `warn` logs a sentence about an engine that is replaced by another one. */
export function openEngines(config: EngineConfig, warn: Warn): Promise<Engines> {
  return config.mind.kind === 'realtime'
    ? openRealtime(config.mind, config)
    : openSeparate(config.mind, config, warn);
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
    hearing: () => (config.hearing.kind === 'off' ? 'off' : engine.model),
    close: async () => speech?.close(),
  };
}

async function openSeparate(
  mind: Exclude<Config['mind'], { kind: 'realtime' }>,
  config: EngineConfig,
  warn: Warn,
): Promise<Engines> {
  const [speech, hearing] = await Promise.all([openSpeech(config.speech), openHearing(config.hearing, warn)]);
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
  if (hearing.kind === 'local') return openLocalHearing({ isChosen: hearing.isChosen, max: threads(), warn });
  return hearing.kind;
}

async function openSpeech(speech: Config['speech']): Promise<Speech | undefined> {
  if (speech.kind === 'captions') return undefined;
  return cached(speech.kind === 'openai' ? openaiSpeech(speech) : await openFlite(threads()));
}
