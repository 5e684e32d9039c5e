import type { Mind } from '@session-launch/contract/project-file/mind';
import type { Mode, SpeechInputMode } from '@session-launch/contract/session';
import type { Languages } from '../locales/locale.ts';
import type { Transport } from '../transports/transport.ts';

/** What a creator froze: everything a manifest shows of an experience. Never changes once it exists. */
export interface Revision {
  experienceId: string;
  number: number;
  slug: string;
  title: string;
  runtime: Runtime;
}

/** How sessions of a revision run. The order of its fields is fixed, so equal runtimes are equal as text. */
export interface Runtime {
  mode: Mode;
  speechInputMode: SpeechInputMode;
  languages: Languages;
  characters: Character[];
  location?: Record<string, unknown>;
  transport: Transport;
  limits: SessionLimits;
  /** For the runtime alone: it is in no manifest, catalog or other public answer. */
  mind?: Mind;
}

/** How long a session may last, and how long nobody may say anything. */
export interface SessionLimits {
  maxSeconds: number;
  idleSeconds: number;
}

interface Character {
  characterId: string;
  name: string;
  voice?: Record<string, unknown>;
  avatar?: Record<string, unknown>;
}
