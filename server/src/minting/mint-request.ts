import {
  type BrowserMintRequest,
  browserMintRequestSchema,
  type ServerMintRequest,
  serverMintRequestSchema,
} from '@session-launch/contract/mint-requests';
import type { SessionMode, SpeechInputMode } from '@session-launch/contract/session';
import { agreedSecondary, canonicalLocale } from '../primitives/locale.ts';
import { reader } from '../primitives/validator.ts';
import type { Given, Player } from '../sessions/session.ts';

/** A mint request after every check that needs only the body. Fields that the route does not accept are dropped. */
export interface MintRequest {
  experienceId: string;
  /** The requested locales, canonical. */
  locales: {
    locale?: string | undefined;
    secondaryLocale?: string | undefined;
    language?: string | undefined;
  };
  /** Modes that are absent default to the revision's. */
  mode: SessionMode | undefined;
  speechInputMode: SpeechInputMode | undefined;
  userId: string | null;
  /** Fields that are stored with the session as sent. */
  given: Pick<Given, 'speechOnly' | 'processorId' | 'metadata' | 'player'>;
}

const readBrowserBody = reader(browserMintRequestSchema);
const readServerBody = reader(serverMintRequestSchema);

/** Reads the fields that a page may set. Fields reserved for backends are ignored. */
export function readFromPage(value: unknown): MintRequest {
  const body = readBrowserBody(value);
  return {
    experienceId: body.experienceId,
    locales: localesOf(body),
    mode: body.mode,
    speechInputMode: body.speechInputMode,
    userId: null,
    given: {
      speechOnly: body.speechOnly ?? false,
      player: playerOf(body.startButton),
    },
  };
}

/** Reads the fields that a backend may set, which include the user and the return URL. */
export function readFromBackend(value: unknown): MintRequest {
  const body = readServerBody(value);
  return {
    experienceId: body.experienceId,
    locales: localesOf(body),
    mode: body.mode,
    speechInputMode: body.speechInputMode,
    userId: body.userId ?? null,
    given: {
      speechOnly: body.speechOnly ?? false,
      processorId: body.processorId,
      metadata: body.metadata,
      player: playerOf(body.startButton, body.closeButton, body.integration?.returnUrl),
    },
  };
}

function localesOf(body: BrowserMintRequest | ServerMintRequest): MintRequest['locales'] {
  return {
    locale: canonical(body.locale),
    secondaryLocale: agreedSecondary(canonical(body.secondaryLocale), canonical(body.learningLocale)),
    language: body.language,
  };
}

/** Only the player settings that were sent; `undefined` if there were none. */
function playerOf(
  startButton: Player['startButton'],
  closeButton?: Player['closeButton'],
  returnUrl?: Player['returnUrl'],
): Player | undefined {
  if (startButton === undefined && closeButton === undefined && returnUrl === undefined) return undefined;
  return {
    ...(startButton === undefined ? {} : { startButton }),
    ...(closeButton === undefined ? {} : { closeButton }),
    ...(returnUrl === undefined ? {} : { returnUrl }),
  };
}

function canonical(tag: string | undefined): string | undefined {
  return tag === undefined ? undefined : canonicalLocale(tag);
}
