import { PageVoice, spokenHere, unlock, voicesLoaded } from './page-voice.ts';
import { canRecognise, Recognition } from './recognition.ts';

/** Speech synthesis and recognition of the browser, for runtimes that have none. Optional: sessions work without them. */
export const pageSpeech = { PageVoice, Recognition, canRecognise, spokenHere, unlock, voicesLoaded };

export type PageSpeech = typeof pageSpeech;
