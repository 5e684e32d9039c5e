import type { LaunchableExperience } from '../content/experiences.ts';
import { ApiError } from '../primitives/errors.ts';
import { newId } from '../primitives/ids.ts';
import { resolveLocales } from '../primitives/locale.ts';
import type { Session } from '../sessions/session.ts';
import type { TokenSigner } from '../tokens/signer.ts';
import type { TransportAccess } from '../transports/transport-access.ts';
import type { Call } from './call.ts';
import type { Caller, LaunchForm } from './endpoints.ts';
import type { MintRequest } from './mint-request.ts';

export interface DraftDeps {
  signer: TokenSigner;
  /** The service's public URL, known once it listens. */
  issuer(): string;
  tokenTtlSeconds: number;
  /** The URL of the included runtime. */
  runtimeUrl(): string;
  transports: TransportAccess;
}

export interface Draft {
  endpoint: LaunchForm;
  experience: LaunchableExperience;
  at: Date;
  /**
   * Returns the session to record, or the refusal as a value. A refusal does not apply if a launch under the same key is replayed, so the
   * caller decides whether to throw it.
   */
  session(): Session | ApiError;
}

/** The session that a mint would record. */
export function draftSession(
  deps: DraftDeps,
  endpoint: LaunchForm,
  call: Pick<Call, 'acceptLanguage'>,
  caller: Caller,
  request: MintRequest,
  experience: LaunchableExperience,
): Draft {
  const at = new Date();
  return { endpoint, experience, at, session };

  function session(): Session | ApiError {
    try {
      return drafted();
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }

  function drafted(): Session {
    const { livemode, origin } = caller;
    if (experience.status !== 'published' && livemode) throw new ApiError('EXPERIENCE_NOT_PUBLISHED');
    const { runtime, number: revision } = experience.revision;
    const isPage = origin !== undefined;
    const { locale, secondaryLocale } = resolveLocales(
      runtime.languages,
      request.locales,
      // Backends state their user's language in the body; their own Accept-Language says nothing about it.
      isPage ? call.acceptLanguage : undefined,
    );
    deps.transports.require(runtime.transport);
    const issuedAt = Math.floor(at.getTime() / 1000);
    return {
      id: newId('ses'),
      projectId: experience.projectId,
      experienceId: experience.id,
      revision,
      livemode,
      source: endpoint.source,
      userId: request.userId,
      given: {
        mode: request.mode ?? runtime.mode,
        speechInputMode: request.speechInputMode ?? runtime.speechInputMode,
        origin,
        locale,
        secondaryLocale,
        address: runtime.transport.url === undefined ? deps.runtimeUrl() : undefined,
        token: { issuer: deps.issuer(), issuedAt, keyId: deps.signer.keys.current.kid },
        // Kept last: a spread before this many fields takes V8 7 µs instead of 0.3 µs.
        ...request.given,
      },
      createdAt: at,
      expiresAt: new Date((issuedAt + deps.tokenTtlSeconds) * 1000),
      startedAt: null,
      seconds: 0,
      endedAt: null,
      endReason: null,
    };
  }
}
