import type { Hearing } from '../hearing/hearing.ts';
import type { Detector } from '../hearing/voice-activity.ts';
import type { Mind } from '../mind/mind.ts';
import { questions } from '../mind/script/questions.ts';
import type { Speech } from '../speech/speech.ts';
import { type OpenPartner, type Partner, type PartnerSession, settingOf } from './partner.ts';
import { describeEngines } from './ready.ts';
import { SpeechOutput } from './speech-output.ts';
import { TranscribedSpeech } from './transcribed-speech.ts';

/** Engines of which each does one task. */
export interface SeparateEngines {
  mind: Mind;
  /** Absent: the page's speech synthesis or captions are used. */
  speech: Speech | undefined;
  /** `page`: the browser transcribes. */
  hearing: Hearing | 'page' | 'off';
  /** Absent if the runtime does not transcribe. */
  detector: (() => Detector) | undefined;
}

/** A partner that consists of a hearing engine, a mind and a speech engine. */
export function composedPartner(engines: SeparateEngines): OpenPartner {
  return (opened) => {
    const { connected, hello } = opened;
    const hearing = hearingOf(engines.hearing, opened);
    const speechOutput = new SpeechOutput(engines.speech, hello.speech?.synthesis ?? []);
    return {
      dialogue: engines.mind.begin(settingOf(opened)),
      speechOutput,
      engines: describeEngines({ mind: engines.mind, hearing, speechOutput }, connected.session, hello),
      listen: listening({ ...engines, hearing }, opened),
      close: () => {},
    };
  };
}

/**
 * The engine that hears a session. One that does not understand all of its languages leaves it to the page, unless the page recognises no
 * speech.
 */
function hearingOf(
  hearing: SeparateEngines['hearing'],
  { connected, hello }: PartnerSession,
): SeparateEngines['hearing'] {
  if (typeof hearing === 'string' || hearing.hears === undefined) return hearing;
  const { locale, secondaryLocale = locale } = connected.session;
  if (!hearing.hears(locale)) return 'page';
  const canPage = (hello.speech?.recognition.length ?? 0) > 0;
  return hearing.hears(secondaryLocale) || !canPage ? hearing : 'page';
}

function listening(
  { hearing, detector }: SeparateEngines,
  { clock, connected }: PartnerSession,
): Partner['listen'] {
  const { speechInputMode: mode, locale, secondaryLocale } = connected.session;
  if (typeof hearing === 'string' || detector === undefined || mode === 'off') return undefined;
  hearing.prepare?.();
  // Sessions in two languages pass no locale: the engine detects which one is spoken.
  const session = { hints: questions(connected.mind, locale) };
  const only = secondaryLocale === undefined ? locale : undefined;
  return (calls) => new TranscribedSpeech({ clock, hearing, session, detector, mode, locale: only }, calls);
}
