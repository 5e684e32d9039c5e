import { ApiError } from '../primitives/errors.ts';
import { type LivekitKeys, livekitAccess } from './livekit-token.ts';
import type { Transport } from './transport.ts';

/** The facts of a session that its access is signed from. */
interface SessionFacts {
  id: string;
  expiresAt: Date;
  given: { token: { issuedAt: number } };
}

interface LivekitDeps {
  keys: LivekitKeys;
  sessions: { expect(sessionId: string): void };
}

/** The fields of a manifest's transport that differ between sessions: the credentials of the client. */
export class TransportAccess {
  readonly #livekit: LivekitDeps | undefined;

  constructor({ livekit }: { livekit: LivekitDeps | undefined }) {
    this.#livekit = livekit;
  }

  /** Throws if sessions with this transport cannot be launched. Called before a session is stored. */
  require({ type }: Transport): void {
    if (type === 'livekit' && this.#livekit === undefined)
      throw new ApiError('TRANSPORT_NOT_CONFIGURED', {
        message:
          'This experience uses the transport livekit, but this service has no LIVEKIT_API_KEY and LIVEKIT_API_SECRET.',
      });
  }

  /** `undefined` if the transport has no such fields. Throws as `require` does. */
  of({ id, expiresAt, given }: SessionFacts, transport: Transport): Promise<object> | undefined {
    if (transport.type !== 'livekit') return undefined;
    this.require(transport);
    const { keys, sessions } = this.#livekit!;
    sessions.expect(id);
    return livekitAccess(keys, {
      sessionId: id,
      issuedAt: given.token.issuedAt,
      expiresAt: expiresAt.getTime() / 1000,
      agentName: transport.agentName as string | undefined,
    });
  }
}
