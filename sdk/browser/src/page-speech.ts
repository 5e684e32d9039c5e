// Speech synthesis and recognition of the browser, for experiences created with the `/core` entry.
export { pageSpeech } from './transport/page-speech.ts';
