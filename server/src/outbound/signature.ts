import { createHmac, randomBytes } from 'node:crypto';

/** A request whose receiver can verify with a secret who sent it, by the rules of Standard Webhooks (standardwebhooks.com). */
export interface SignedMessage {
  /** The same on every attempt, so that a receiver can recognise repetitions. */
  id: string;
  /** When the attempt was made. Receivers reject old ones. */
  sentAt: Date;
  /** The bytes that are sent. */
  body: string;
}

const prefix = 'whsec_';
const secretBytes = 32;

/** Returns a new secret: `whsec_` and the Base64 of 32 random bytes. */
export function createSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

/** Returns the headers that sign a message with each of the secrets. A receiver needs to know one of them. */
export function signatureHeaders(
  { id, sentAt, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
