// The browser's own voice and speech recognition, for sessions that are made by the entry /core.
export { pageSpeech } from './transport/page-speech.ts';
