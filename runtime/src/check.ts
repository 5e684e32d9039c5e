import { systemClock } from './clock.ts';
import type { Config } from './config.ts';
import type { EngineError } from './endpoint.ts';
import { installedEspeak } from './engines.ts';
import { checkLocalHearing } from './hearing/local/check.ts';
import { openaiHearing } from './hearing/openai.ts';
import { complete, emptyAnswer } from './mind/model/completions.ts';
import { checkRealtime } from './realtime/check.ts';
import { languages } from './speech/espeak/voices.ts';
import { openaiSpeech } from './speech/openai.ts';
import { withTimeout } from './timeout.ts';

/** The result of one call of an engine. */
export interface EngineCheck {
  engine: 'MIND' | 'SPEECH' | 'HEARING';
  /** Prefix of the variables that configure the engine. Absent: its name. */
  variables?: string;
  /** Absent if the call succeeded. */
  problem?: string;
  /** An engine on this machine instead of a service. */
  isLocal?: true;
  /** Duration of the call in milliseconds. */
  ms: number;
  /** Languages that included and installed speech engines speak, by the name of the engine. */
  languages?: Record<string, string[]>;
}

/** Seconds in which an engine has to answer. Loading a model takes long on a busy machine. */
const seconds = { service: 20, local: 60 };

/** Calls each remote engine and the included speech recognition once with a request like those of a conversation. */
export function checkEngines(config: Pick<Config, 'mind' | 'speech' | 'hearing'>): Promise<EngineCheck[]> {
  const { mind, speech, hearing } = config;
  const checks: Promise<EngineCheck>[] = [];
  const check = (engine: EngineCheck['engine'], call: (signal: AbortSignal) => Promise<unknown>) =>
    checks.push(result(engine, call));
  if (mind.kind === 'openai')
    check('MIND', async (signal) => {
      for await (const text of complete(mind, [{ role: 'user', content: 'Say hello.' }], signal))
        if (text.trim() !== '') return;
      throw emptyAnswer();
    });
  if (mind.kind === 'realtime') {
    const call = (signal: AbortSignal) => checkRealtime(mind, systemClock, signal);
    checks.push(result('MIND', call).then((one) => ({ ...one, variables: 'REALTIME' })));
  }
  if (speech.kind === 'openai') {
    const voice = { characterId: 'doctor', settings: {}, pace: 1 };
    const sentence = { text: 'Hello.', locale: 'en', voice, session: {} };
    check('SPEECH', (signal) => openaiSpeech(speech).speak(sentence, signal));
  }
  if (speech.kind === 'flite' && mind.kind !== 'realtime') checks.push(checkLanguages(speech));
  if (hearing.kind === 'openai' && mind.kind !== 'realtime') {
    const audio = { sampleRate: 16_000, samples: new Int16Array(16_000) };
    check('HEARING', (signal) => openaiHearing(hearing).transcribe(audio, 'en', signal));
  }
  if (hearing.kind === 'local' && mind.kind !== 'realtime')
    checks.push(
      result('HEARING', checkLocalHearing, seconds.local).then((one) => ({ ...one, isLocal: true })),
    );
  return Promise.all(checks);
}

async function checkLanguages(speech: Extract<Config['speech'], { kind: 'flite' }>): Promise<EngineCheck> {
  const startedAt = performance.now();
  const { espeak, problem } = await installedEspeak(speech);
  const spoken = espeak === undefined ? [] : languages.filter((language) => espeak.speaks(language));
  return {
    engine: 'SPEECH',
    ...(problem === undefined ? {} : { problem }),
    ms: Math.round(performance.now() - startedAt),
    languages: { flite: ['en'], ...(spoken.length === 0 ? {} : { 'espeak-ng': spoken }) },
  };
}

async function result(
  engine: EngineCheck['engine'],
  call: (signal: AbortSignal) => Promise<unknown>,
  within = seconds.service,
): Promise<EngineCheck> {
  const timeout = {
    clock: systemClock,
    ms: within * 1000,
    error: () => new Error(`it did not answer within ${within} seconds`),
  };
  const startedAt = performance.now();
  const ms = () => Math.round(performance.now() - startedAt);
  try {
    await withTimeout(timeout, call);
    return { engine, ms: ms() };
  } catch (error) {
    const { message, said } = error as Error & Partial<EngineError>;
    return { engine, ms: ms(), problem: said ? `${message}: ${said}` : message };
  }
}
