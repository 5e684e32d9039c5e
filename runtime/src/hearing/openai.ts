import { writeWav } from '@session-launch/process/wav';
import { EngineError, post, type RemoteEngine, readJson } from '../endpoint.ts';
import type { Hearing } from './hearing.ts';

/** Transcribes each turn with an OpenAI-compatible service after the turn has ended. */
export function openaiHearing({ endpoint, model }: RemoteEngine): Hearing {
  return {
    name: model,
    transcribe: async (audio, locale, signal) => {
      const form = new FormData();
      form.set('file', new Blob([writeWav(audio)], { type: 'audio/wav' }), 'turn.wav');
      form.set('model', model);
      if (locale !== undefined) form.set('language', new Intl.Locale(locale).language);
      form.set('response_format', 'json');
      const response = await post(endpoint, '/audio/transcriptions', form, signal);
      const { text } = (await readJson(response, signal)) as { text?: unknown };
      if (typeof text !== 'string') throw new EngineError(response.status, 'the transcription has no text');
      return text;
    },
  };
}
