import { resampled } from '@session-launch/process/wav';
import { openVoiceActivity } from '../../src/hearing/voice-activity.ts';
import { sampleRate } from '../../src/realtime/live-item.ts';
import { type RealtimeEngine, realtimePartner } from '../../src/realtime/partner.ts';
import { atSampleRate } from '../../src/speech/at-sample-rate.ts';
import { openFlite } from '../../src/speech/flite/flite.ts';
import type { Speech } from '../../src/speech/speech.ts';
import type { Client } from '../harness/client.ts';
import { startWorld, type World, type WorldOptions } from '../harness/world.ts';
import { type RealtimeServer, startRealtimeServer } from './realtime-server.ts';

/** A real voice, for the model, for users and for the sentence that reports a failure. */
export interface Voices {
  flite: Speech;
  /** PCM of a sentence at a sample rate. */
  speak(text: string, rate: number): Promise<Int16Array>;
  close(): Promise<void>;
}

export async function openVoices(): Promise<Voices> {
  const flite = await openFlite(1);
  const spoken = new Map<string, Int16Array>();
  return {
    flite,
    speak: async (text, rate) => {
      const key = `${rate} ${text}`;
      const known = spoken.get(key);
      if (known !== undefined) return known;
      const voice = { characterId: 'maren', settings: {}, pace: 1 };
      const signal = new AbortController().signal;
      const { audio } = await flite.speak({ text, locale: 'en', voice, session: {} }, signal);
      const samples = resampled({ sampleRate: flite.sampleRate, samples: audio }, rate);
      spoken.set(key, samples);
      return samples;
    },
    close: () => flite.close(),
  };
}

export interface RealtimeWorld extends World {
  model: RealtimeServer;
}

export const apiKey = 'sk-secret-key-of-the-operator';

/** Starts a runtime whose partner is a model on a server of the protocol. */
export async function startRealtimeWorld(
  voices: Voices,
  engine: Partial<RealtimeEngine> = {},
  options: WorldOptions = {},
): Promise<RealtimeWorld> {
  const model = await startRealtimeServer((text) => voices.speak(text, sampleRate));
  const partner = realtimePartner({
    engine: {
      ...{ url: model.url, apiKey, model: 'gpt-realtime', voice: 'marin' },
      ...{ transcriptionModel: 'gpt-4o-mini-transcribe', models: [], voices: [] },
      ...engine,
    },
    speech: atSampleRate(voices.flite, sampleRate),
    detector: await openVoiceActivity(),
  });
  const world = await startWorld({ ...options, partner });
  return {
    ...world,
    model,
    close: async () => {
      await world.close();
      await model.close();
    },
  };
}

const burstSamples = 1.6 * 16_000;

/** Sends speech of a user as frames of 40 ms, followed by silence: as much as the runtime accepts at once, then in real time. */
export async function say(client: Client, speech: Int16Array, silenceMs = 800): Promise<void> {
  const samples = new Int16Array(speech.length + silenceMs * 16);
  samples.set(speech);
  for (let at = 0; at < samples.length; at += 640) {
    const part = samples.subarray(at, at + 640);
    const frame = Buffer.alloc(8 + part.length * 2);
    frame[0] = 2;
    Buffer.from(part.buffer, part.byteOffset, part.byteLength).copy(frame, 8);
    client.ws.send(frame);
    if (at >= burstSamples) await new Promise((resolve) => setTimeout(resolve, 40));
  }
  await client.handled();
}
