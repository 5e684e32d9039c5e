export type State =
  | 'idle'
  | 'minting'
  | 'connecting'
  | 'live'
  | 'reconnecting'
  | 'ending'
  | 'ended'
  | 'failed';
export type Mode = 'listening' | 'speaking' | 'thinking';
export type EndReason = 'user' | 'closed' | 'runtime' | 'pagehide' | 'connection-lost' | 'aborted';
export type MicStatus =
  | 'off'
  | 'prompting'
  | 'on'
  | 'muted'
  | 'denied'
  | 'missing'
  | 'busy'
  | 'blocked-by-policy'
  | 'insecure';

export interface Message {
  id: string;
  role: 'user' | 'character';
  characterId?: string;
  text: string;
  locale?: string;
  status: 'partial' | 'final';
  interrupted?: true;
  /** The parts of a message that mixes two languages. */
  spans?: { locale: string; text: string }[];
}

export interface Suggestion {
  text: string;
  locale: string;
}

export interface SessionFacts {
  sessionId: string;
  locale: string;
  secondaryLocale?: string;
  livemode: boolean;
  capabilities: string[];
  characters: { characterId: string; name: string }[];
}
