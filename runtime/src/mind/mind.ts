import type { Mind as MindOfRevision } from '@session-launch/contract/project-file/mind';
import type { Mode } from '@session-launch/contract/session';

export interface Character {
  characterId: string;
  name: string;
  voice: Record<string, unknown>;
}

/** What a mind knows about its session. */
export interface Setting {
  mind: MindOfRevision;
  /** Names the revision of the experience: sessions with the same name have the same mind. */
  revision: string;
  mode: Mode;
  locale: string;
  secondaryLocale?: string | undefined;
  characters: [Character, ...Character[]];
  title: string;
}

/** Something said, or a part of it: texts of one speaker and locale belong together. */
export interface Said {
  text: string;
  locale: string;
  characterId: string;
}

export interface Suggestion {
  text: string;
  locale: string;
}

/** How a mind talks in one session. */
export interface Dialogue {
  /** Slower than usual when the listener asked for it. */
  readonly pace: number;
  /** The first words. */
  open(signal: AbortSignal): AsyncIterable<Said>;
  answer(text: string, signal: AbortSignal): AsyncIterable<Said>;
  /** What to say when nobody asks anything; undefined when there is nothing. */
  goOn(): AsyncIterable<Said> | undefined;
  /** Called when a message is over, with the part that was heard: only that was said. */
  remember(said: string, heard: string): void;
  suggestions(): Suggestion[];
  /** One honest sentence for when an engine has failed. */
  sorry(): Said;
}

export interface Mind {
  kind: 'script' | 'model';
  name: string;
  begin(setting: Setting): Dialogue;
}
