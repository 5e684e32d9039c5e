import { PageVoice, spokenHere, voicesLoaded } from './page-voice.ts';
import { canRecognise, Recognition } from './recognition.ts';

/** The browser's own voice and ears, for runtimes that leave speech to the page. Sessions work without them. */
export const pageSpeech = { PageVoice, Recognition, canRecognise, spokenHere, voicesLoaded };

export type PageSpeech = typeof pageSpeech;
