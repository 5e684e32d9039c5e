import type { Speech } from './speech.ts';

/** Speech engines for different languages as one. Each locale is spoken by the first engine that supports it. */
export function byLanguage(engines: readonly [Speech, ...Speech[]]): Speech {
  const [first] = engines;
  const engineFor = (locale: string) => engines.find((engine) => engine.speaks(locale));
  return {
    sampleRate: first.sampleRate,
    nameFor: (locale) => (engineFor(locale) ?? first).nameFor(locale),
    speaks: (locale) => engineFor(locale) !== undefined,
    speak: (sentence, signal) => (engineFor(sentence.locale) ?? first).speak(sentence, signal),
    close: async () => {
      await Promise.all(engines.map((engine) => engine.close()));
    },
  };
}
