import type { SessionManifest } from '@session-launch/contract/manifest';
import type { Mind } from '@session-launch/contract/project-file/mind';
import type { SessionMode, SpeechInputMode } from '@session-launch/contract/session';
import type { Languages } from '../primitives/locale.ts';
import type { Transport } from '../transports/transport.ts';

/** An immutable snapshot of an experience: everything that a manifest contains of it. */
export interface Revision {
  experienceId: string;
  number: number;
  slug: string;
  title: string;
  runtime: Runtime;
}

/** The runtime configuration of a revision. Its field order is fixed, so equal configurations serialise to equal text. */
export interface Runtime {
  mode: SessionMode;
  speechInputMode: SpeechInputMode;
  languages: Languages;
  characters: Pick<SessionManifest['characters'][number], 'characterId' | 'name' | 'voice' | 'avatar'>[];
  location?: Record<string, unknown>;
  transport: Transport;
  limits: SessionManifest['limits'];
  /** Sent to the runtime only; never part of a manifest, the catalog or another public response. */
  mind?: Mind;
}
