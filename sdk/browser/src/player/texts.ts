import { isFull } from '../core/experience-error.ts';
import type { ExperienceError, MicStatus, TextKey } from '../types.ts';

/** Default texts of the player. The `texts` option overrides them. Placeholders are in braces. */
export const defaultTexts: Record<TextKey, string> = {
  start: 'Start',
  restart: 'Start again',
  retryIn: 'Try again in {seconds} s',
  close: 'End the conversation',
  idle: 'Ready when you are',
  minting: 'Getting ready…',
  connecting: 'Connecting…',
  listening: 'Listening',
  thinking: 'Thinking…',
  speaking: 'Speaking',
  reconnecting: 'The connection broke. Reconnecting…',
  ending: 'Ending…',
  ended: 'The conversation has ended.',
  lost: 'The connection was lost.',
  failed: 'This conversation cannot be started right now.',
  busy: 'Many people are talking right now. Please try again in a moment.',
  expired: 'This invitation has expired.',
  offline: 'There is no connection. Please check your network and try again.',
  captions: 'Conversation',
  showCaptions: 'Captions',
  you: 'You',
  input: 'Write a message',
  send: 'Send',
  suggestions: 'Suggestions',
  micOn: 'Turn the microphone off',
  micOff: 'Turn the microphone on',
  micDenied: 'The microphone is not allowed. You can type instead.',
  micMissing: 'No microphone was found. You can type instead.',
  micBusy: 'Another program uses the microphone. You can type instead.',
  micBlocked: 'This page may not use the microphone. You can type instead.',
  micInsecure: 'The microphone needs a secure page. You can type instead.',
  micHold: 'Ask by voice',
  hear: 'Tap to hear',
  mute: 'Sound off',
  unmute: 'Sound on',
  endingSoon: 'This conversation ends in {seconds} seconds.',
  scripted: 'Answers come from a written script, not from an AI model.',
  modelled: 'Answers come from the AI model {name}.',
  pageVoice: 'The voice is this browser’s own.',
  noVoice: 'There is no voice for this language here, so you read what is said.',
  noHearing: 'Speech is not understood here: please type.',
};

/** Text keys for problems with the microphone. */
export const micTexts: Partial<Record<MicStatus, TextKey>> = {
  denied: 'micDenied',
  missing: 'micMissing',
  busy: 'micBusy',
  'blocked-by-policy': 'micBlocked',
  insecure: 'micInsecure',
};

/** Key of the text that visitors see for an error. Its details are only logged. */
export function textOfError(error: ExperienceError): TextKey {
  const { code } = error;
  if (code === 'NETWORK' || code === 'TIMEOUT') return 'offline';
  if (code === 'CONNECTION_LOST') return 'lost';
  if (code === 'SESSION_EXPIRED' || code === 'SESSION_USED') return 'expired';
  const isBusy = ['RATE_LIMITED', 'QUOTA_EXCEEDED', 'CONCURRENCY_LIMIT', 'UNAVAILABLE'].includes(code);
  return isBusy || isFull(error) ? 'busy' : 'failed';
}
