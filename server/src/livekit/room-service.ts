import { livekitIdentity } from '@session-launch/contract/transports/livekit';
import { Outbound, type OutboundResponse } from '../outbound/outbound.ts';
import { type LivekitKeys, signLivekit } from '../transports/livekit-token.ts';

const timeoutMs = 5_000;
const maxResponseBytes = 64 * 1024;
/** Lifetime of the token of one request. */
const tokenSeconds = 60;
/** A room that no session has, for checking an address. */
const noRoom = 'session-launch-doctor';

/** A request to LiveKit failed. The message contains neither the key nor the secret. */
export class RoomServiceError extends Error {}

/**
 * Calls of LiveKit's RoomService. The address is written in project files, so the token of each request is valid for the room of one session
 * only: a wrong server cannot use it for other rooms. It may name a private address, but never one of metadata services.
 */
export class RoomService {
  readonly #keys: LivekitKeys;
  readonly #outbound: Outbound;

  constructor(keys: LivekitKeys, outbound = new Outbound({ allowPrivate: true, allowPrivateHttp: true })) {
    this.#keys = keys;
    this.#outbound = outbound;
  }

  /** Whether the client of a session is in its room. */
  async hasClient(url: string, sessionId: string): Promise<boolean> {
    return this.#call(url, 'GetParticipant', sessionId, { identity: livekitIdentity(sessionId) });
  }

  /** Disconnects the client of a session, and revokes its token. Does nothing if it is not in the room. */
  async removeClient(url: string, sessionId: string): Promise<void> {
    await this.#call(url, 'RemoveParticipant', sessionId, { identity: livekitIdentity(sessionId) });
  }

  /** Throws if the address is not that of a LiveKit server with these keys. */
  async check(url: string): Promise<void> {
    await this.#call(url, 'ListParticipants', noRoom, {});
  }

  close(): Promise<void> {
    return this.#outbound.close();
  }

  /** Resolves with whether LiveKit found what the request names. */
  async #call(url: string, method: string, room: string, fields: object): Promise<boolean> {
    const now = Math.floor(Date.now() / 1000);
    const video = { room, roomAdmin: true };
    const token = await signLivekit(this.#keys, { nbf: now, exp: now + tokenSeconds, video });
    let response: OutboundResponse;
    try {
      response = await this.#outbound.send({
        method: 'POST',
        url: `${url.replace(/^ws/, 'http').replace(/\/+$/, '')}/twirp/livekit.RoomService/${method}`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ room, ...fields }),
        timeoutMs,
        maxResponseBytes,
      });
    } catch (error) {
      throw new RoomServiceError((error as Error).message);
    }
    if (response.status === 200) return true;
    const code = codeOf(response.body);
    if (response.status === 404 && code === 'not_found') return false;
    throw new RoomServiceError(`LiveKit responded with ${response.status}${code && ` ${code}`}`);
  }
}

/** The code of a Twirp error. */
function codeOf(body: Buffer): string {
  try {
    const { code } = JSON.parse(body.toString('utf8')) as { code?: unknown };
    return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : '';
  } catch {
    return '';
  }
}
