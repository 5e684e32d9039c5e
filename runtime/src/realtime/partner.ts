import type { Tool } from '@session-launch/contract/project-file/mind';
import { type OpenPartner, type Partner, settingOf } from '../conversation/partner.ts';
import { SpeechOutput } from '../conversation/speech-output.ts';
import type { Detector } from '../hearing/voice-activity.ts';
import { functionOf } from '../mind/model/completions.ts';
import { systemPrompt } from '../mind/model/prompt.ts';
import type { Speech } from '../speech/speech.ts';
import { RealtimeDialogue } from './dialogue.ts';
import { HeardSpeech } from './heard-speech.ts';
import { sampleRate } from './live-item.ts';
import { RealtimeSession } from './session.ts';

/** A realtime model, and what experiences may select instead of its defaults. */
export interface RealtimeEngine {
  url: string;
  apiKey: string | undefined;
  model: string;
  voice: string | undefined;
  transcriptionModel: string;
  /** Models and voices that experiences may select. */
  models: readonly string[];
  voices: readonly string[];
}

export interface RealtimePartnerDeps {
  engine: RealtimeEngine;
  /** Speaks the sentence that reports a failure, at the sample rate of the model. */
  speech: Speech | undefined;
  /** Absent: the user's audio is not accepted. */
  detector: (() => Detector) | undefined;
}

/** A partner that is one model, which hears and speaks. */
export function realtimePartner({ engine, speech, detector }: RealtimePartnerDeps): OpenPartner {
  return (opened) => {
    const { clock, connected, hello, observer, safely } = opened;
    const { speechInputMode: mode, locale, secondaryLocale } = connected.session;
    const setting = settingOf(opened);
    const { model, voice } = selected(engine, connected.mind.realtime, observer.ignored);
    const session = new RealtimeSession({
      ...{ clock, safely, used: observer.used, tools: setting.tools },
      target: { url: engine.url, apiKey: engine.apiKey, model },
      settings: sessionSettings(engine, {
        instructions: systemPrompt(setting, 'spoken'),
        voice,
        // In sessions with two languages, the model detects which one is spoken.
        language: secondaryLocale === undefined ? new Intl.Locale(locale).language : undefined,
        tools: setting.tools?.list,
      }),
    });
    const dialogue = new RealtimeDialogue(session, setting);
    const speaking = { kind: 'server', name: model } as const;
    return {
      dialogue,
      speechOutput: new SpeechOutput(speech, hello.speech?.synthesis ?? [], sampleRate),
      engines: {
        mind: { kind: 'model', name: model },
        speech: speaking,
        ...(secondaryLocale === undefined ? {} : { secondarySpeech: speaking }),
        hearing: detector === undefined || mode === 'off' ? { kind: 'none' } : speaking,
      },
      listen:
        detector === undefined || mode === 'off'
          ? undefined
          : (calls) => new HeardSpeech({ clock, detector, mode, session, dialogue }, calls),
      close: () => session.close(),
    } satisfies Partner;
  };
}

/** The `session` of `session.update`. The runtime detects the turns itself, as with every other engine. */
export function sessionSettings(
  { transcriptionModel }: RealtimeEngine,
  {
    instructions,
    voice,
    language,
    tools,
  }: Record<'instructions', string> &
    Partial<Record<'voice' | 'language', string | undefined>> & { tools?: readonly Tool[] | undefined },
) {
  const format = { type: 'audio/pcm', rate: sampleRate };
  const transcription = { model: transcriptionModel, ...(language === undefined ? {} : { language }) };
  return {
    type: 'realtime',
    output_modalities: ['audio'],
    instructions,
    audio: {
      input: { format, transcription, turn_detection: null },
      output: { format, ...(voice === undefined ? {} : { voice }) },
    },
    ...(tools === undefined
      ? {}
      : { tools: tools.map((tool) => ({ type: 'function', ...functionOf(tool) })), tool_choice: 'auto' }),
  };
}

/** The model and the voice that an experience selects, as far as the operator allows them. */
function selected(
  engine: RealtimeEngine,
  wanted: { model?: string; voice?: string } = {},
  ignored: (setting: string) => void,
): { model: string; voice: string | undefined } {
  const choose = <T>(setting: string, value: string | undefined, standard: T, allowed: readonly string[]) => {
    if (value === undefined || value === standard) return standard;
    if (allowed.includes(value)) return value;
    ignored(setting);
    return standard;
  };
  return {
    model: choose('mind.realtime.model', wanted.model, engine.model, engine.models),
    voice: choose('mind.realtime.voice', wanted.voice, engine.voice, engine.voices),
  };
}
