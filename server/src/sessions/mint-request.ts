import {
  type BrowserMintRequest,
  browserMintRequestSchema,
  type ServerMintRequest,
  serverMintRequestSchema,
} from '@session-launch/contract/mint-requests';
import type { Mode, SpeechInputMode } from '@session-launch/contract/session';
import { reader } from '../http/validator.ts';
import { agreedSecondary, canonicalLocale } from '../locales/locale.ts';
import type { Given, Player } from './session.ts';

/** A mint request after every check that needs nothing but the body. A door takes no field but its own. */
export interface MintRequest {
  experienceId: string;
  /** Languages that were asked for, canonical. */
  locales: {
    locale?: string | undefined;
    secondaryLocale?: string | undefined;
    language?: string | undefined;
  };
  /** Modes that were not asked for come from the revision. */
  mode: Mode | undefined;
  speechInputMode: SpeechInputMode | undefined;
  userId: string | null;
  /** What the session keeps as it was asked for. */
  given: Pick<Given, 'speechOnly' | 'processorId' | 'metadata' | 'player'>;
}

const readBrowserBody = reader(browserMintRequestSchema);
const readServerBody = reader(serverMintRequestSchema);

/** What a page may ask for. What only a backend is trusted with is not even looked at. */
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

/** A backend is trusted with the user, too, and with where the player returns to. */
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

/** What the player gets, without what is not there; nothing when there is nothing. */
function playerOf(startButton?: object, closeButton?: object, returnUrl?: string): Player | undefined {
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
