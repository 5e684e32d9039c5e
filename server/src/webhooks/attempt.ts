import type { EventType } from '@session-launch/contract/webhook-events';
import { type Outbound, OutboundError, type OutboundResponse } from '../outbound/outbound.ts';
import { openSecret } from '../outbound/sealed-secret.ts';
import { signatureHeaders } from '../outbound/signature.ts';
import { isoTime } from '../primitives/iso-time.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import type { AttemptRecord } from './deliveries.ts';
import { eventBody, type StoredEvent } from './event-body.ts';
import { askedDelay } from './schedule.ts';
import type { SealedSecrets } from './webhooks.ts';

/** Maximum milliseconds of an attempt. */
export const attemptMs = 15_000;
/** Maximum bytes of a response to read; of these, the first are stored. */
const maxResponseBytes = 64 * 1024;
const storedBytes = 1024;
/** Maximum characters of the reason of a failure. */
const maxReasonLength = 500;

export interface AttemptDeps {
  outbound: Pick<Outbound, 'send'>;
  signingKeys: SigningKeys;
  /** For the header User-Agent. */
  version: string;
}

/** Where an event is sent, and what signs it. */
export interface Receiver extends SealedSecrets {
  webhookId: string;
  url: string;
}

interface SentEvent extends StoredEvent {
  eventId: string;
  type: EventType;
}

export interface Attempt {
  /** The receiver answered with a 2xx status. */
  isDelivered: boolean;
  /** The receiver answered 410: it wants no more events. */
  isGone: boolean;
  /** The receiver does not respond, or says that it cannot at present: other events would fail, too. */
  isAway: boolean;
  /** The attempt was aborted, so it is not known whether the receiver got the event. */
  isAborted: boolean;
  /** The delay that the receiver asks for with Retry-After, in milliseconds. */
  askedMs: number | undefined;
  record: AttemptRecord;
}

/** Statuses of receivers that are overloaded, or of the proxies of receivers that are down. */
const awayStatuses: readonly number[] = [429, 502, 503, 504];

/** Sends an event to a receiver, once. */
export async function attempt(
  { outbound, signingKeys, version }: AttemptDeps,
  receiver: Receiver,
  event: SentEvent,
  signal?: AbortSignal,
): Promise<Attempt> {
  const at = new Date();
  const began = performance.now();
  const recordOf = (rest: Partial<AttemptRecord>): AttemptRecord => ({
    at: isoTime(at),
    milliseconds: Math.round(performance.now() - began),
    ...rest,
  });
  const without = { isDelivered: false, isGone: false, isAborted: false, askedMs: undefined };
  try {
    const body = JSON.stringify(eventBody(event));
    const response = await outbound.send({
      method: 'POST',
      url: receiver.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': `session-launch/${version}`,
        ...signatureHeaders({ id: event.eventId, sentAt: at, body }, secretsOf(signingKeys, receiver)),
      },
      body,
      timeoutMs: attemptMs,
      maxResponseBytes,
      ...(signal === undefined ? {} : { signal }),
    });
    const { status, headers } = response;
    const isAway = awayStatuses.includes(status);
    return {
      isDelivered: status >= 200 && status < 300,
      isGone: status === 410,
      isAway,
      isAborted: false,
      askedMs: status >= 300 ? askedDelay(headers['retry-after']) : undefined,
      record: recordOf({ status, ...textOf(response) }),
    };
  } catch (error) {
    if (error instanceof OutboundError)
      return {
        ...without,
        isAway: true,
        isAborted: error.failure === 'aborted',
        record: recordOf({ error: reasonOf(error) }),
      };
    // An event that cannot be sent must not stop the ones behind it.
    const isAway = error instanceof UnreadableSecret;
    return { ...without, isAway, record: recordOf({ error: reasonOf(error as Error) }) };
  }
}

/** The secret of a webhook cannot be decrypted. */
class UnreadableSecret extends Error {
  constructor() {
    super(
      'the secret of this webhook cannot be read, because the signing key that sealed it is missing; create a new secret',
    );
  }
}

/** The secrets that sign, the newest first. A former one that cannot be read is left out. */
function secretsOf(keys: SigningKeys, { webhookId, secret, formerSecret }: Receiver): string[] {
  const open = (sealed: string): string | undefined => {
    try {
      return openSecret(keys, webhookId, sealed);
    } catch {
      return undefined;
    }
  };
  const current = open(secret);
  if (current === undefined) throw new UnreadableSecret();
  const former = formerSecret === null ? undefined : open(formerSecret);
  return former === undefined ? [current] : [current, former];
}

/** The beginning of a response as text, without a character that is cut off. */
function textOf({ body }: OutboundResponse): Pick<AttemptRecord, 'response' | 'responseTruncated'> {
  const isCut = body.length > storedBytes;
  const text = storable(new TextDecoder().decode(body.subarray(0, storedBytes), { stream: isCut }));
  return text === '' ? {} : { response: text, ...(isCut ? { responseTruncated: true } : {}) };
}

/** A receiver may determine parts of a message, for example by the names in its certificate. */
function reasonOf({ message }: Error): string {
  return storable(message.slice(0, maxReasonLength));
}

/** The database stores no NUL characters and no lone surrogates. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}');
}
