import type { Mind as MindOfRevision, Tool } from '@session-launch/contract/project-file/mind';
import type { SessionMode } from '@session-launch/contract/session';
import type { LiveSpeech } from '../speech/live-speech.ts';

export interface Character {
  characterId: string;
  name: string;
  voice: Record<string, unknown>;
}

/** The session data that a mind uses. */
export interface Setting {
  mind: MindOfRevision;
  /** Identifies the revision of the experience: sessions with the same value have the same mind. */
  revision: string;
  mode: SessionMode;
  locale: string;
  secondaryLocale?: string | undefined;
  characters: [Character, ...Character[]];
  title: string;
  /** Absent: the characters can do nothing. */
  tools?: Tools | undefined;
}

/** What the characters can do in a session. */
export interface Tools {
  readonly list: readonly Tool[];
  /** Begins a turn, in which the number of calls is limited. */
  turn(): ToolTurn;
}

export interface ToolTurn {
  /** Whether all calls of the turn are used up. */
  readonly isSpent: boolean;
  /** Calls a tool. `values`: the arguments. Never rejects. */
  call(name: string, values: unknown): Promise<ToolResult>;
}

export interface ToolResult {
  isDone: boolean;
  /** The response of the tool, or a sentence about the error. */
  output: string;
}

/**
 * Text of one speaker in one locale; consecutive items may belong to one message. An empty text is not spoken: it says that the mind is at
 * work, and restarts the time in which its next text has to arrive.
 */
export interface Said {
  text: string;
  locale: string;
  characterId: string;
  /** The speech of a mind that speaks itself. Absent: a speech engine speaks the text. */
  live?: LiveSpeech;
}

export interface Suggestion {
  text: string;
  locale: string;
}

/** The dialogue of a mind in one session. */
export interface Dialogue {
  /** Speaking rate: 1 is normal; lower after the user asked for slower speech. */
  readonly pace: number;
  /** Generates the greeting. */
  open(signal: AbortSignal): AsyncIterable<Said>;
  answer(text: string, signal: AbortSignal): AsyncIterable<Said>;
  /** Returns the next message while the user is silent; `undefined` if there is none. */
  nextSection(): AsyncIterable<Said> | undefined;
  /** Called at the end of a message. Only `heard`, the part that was played, counts as said. */
  remember(said: string, heard: string): void;
  suggestions(): Suggestion[];
  /** A sentence that reports the failure of an engine. */
  sorry(): Said;
}

export interface Mind {
  kind: 'script' | 'model';
  name: string;
  begin(setting: Setting): Dialogue;
}
