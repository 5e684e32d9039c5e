import type { Session } from './contract.ts';

/** An event that the service sends to a webhook. */
export type WebhookEvent = { timestamp: string } & (
  | {
      type: 'session.created' | 'session.started' | 'session.ended' | 'session.expired';
      data: Session;
    }
  | {
      type: 'experience.published';
      data: { projectId: string; experienceId: string; revision: number; slug: string; title: string };
    }
  | { type: 'webhook.test'; data: { projectId: string; webhookId: string; name?: string } }
);

/** The same id on every attempt: store it with what you do, to do it once. */
export type VerifiedWebhook = WebhookEvent & { id: string };

type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request: of the web standard, or its headers and its body exactly as received. */
export type WebhookRequest =
  | Request
  | { headers: Headers | HeaderRecord; body: string | Uint8Array | ArrayBuffer };

export type WebhookErrorCode = 'HEADERS' | 'TIMESTAMP' | 'SIGNATURE' | 'BODY';

/** Why a request is not from the service, or is too old. Answer it with 400. */
export class WebhookError extends Error {
  readonly code: WebhookErrorCode;

  static {
    WebhookError.prototype.name = 'WebhookError';
  }

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const toleranceSeconds = 300;
const encoder = new TextEncoder();

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/**
 * Verifies the signature of a request to a webhook and returns the event. Rejects with a WebhookError if none of its signatures was made with
 * the secret, or if it was sent more than five minutes ago or ahead. Several secrets may be passed.
 */
export async function verifyWebhook(
  request: WebhookRequest,
  secret: string | readonly string[],
): Promise<VerifiedWebhook> {
  const keys = await Promise.all([secret].flat().map(importSecret));
  const id = header(request, 'webhook-id');
  const timestamp = header(request, 'webhook-timestamp');
  const signatures = header(request, 'webhook-signature');
  if (id === undefined || timestamp === undefined || signatures === undefined)
    throw new WebhookError(
      'HEADERS',
      'The request lacks webhook-id, webhook-timestamp or webhook-signature.',
    );
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookError(
      'TIMESTAMP',
      'The request was sent more than five minutes ago, or a clock is wrong.',
    );
  const body = await bodyOf(request);
  const signed = joined(encoder.encode(`${id}.${timestamp}.`), body);
  if (!(await isSigned(keys, signatures, signed)))
    throw new WebhookError('SIGNATURE', 'No signature of the request was made with this secret.');
  try {
    return { id, ...(JSON.parse(new TextDecoder().decode(body)) as WebhookEvent) };
  } catch {
    throw new WebhookError('BODY', 'The body is not JSON.');
  }
}

async function importSecret(secret: string): Promise<Key> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0) throw new TypeError('the secret must begin with whsec_');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** `crypto.subtle.verify` compares in constant time. */
async function isSigned(
  keys: readonly Key[],
  signatures: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const candidates = signatures
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .flatMap((one) => fromBase64(one.slice(3)) ?? []);
  const checks = keys.flatMap((key) =>
    candidates.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed)),
  );
  return (await Promise.all(checks)).includes(true);
}

function header({ headers }: WebhookRequest, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'object' ? found.join(' ') : found;
}

async function bodyOf(request: WebhookRequest): Promise<Uint8Array<ArrayBuffer>> {
  if (request instanceof Request) return new Uint8Array(await request.arrayBuffer());
  const { body } = request;
  return typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body);
}

function joined(head: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
