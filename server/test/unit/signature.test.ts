import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { createSecret, signatureHeaders } from '../../src/outbound/signature.ts';

const body = JSON.stringify({ type: 'session.ended', data: { text: 'ü 😀 \u2028' } });
const message = () => ({ id: 'evt_1', sentAt: new Date(), body });

test('a secret is whsec_ and the Base64 of 32 random bytes', () => {
  const secret = createSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(createSecret()).not.toBe(secret);
});

test('the npm package standardwebhooks verifies the headers, with each of several secrets', () => {
  const [one, two, other] = [createSecret(), createSecret(), createSecret()];
  const headers = signatureHeaders(message(), [one, two]);
  expect(headers['webhook-id']).toBe('evt_1');
  expect(headers['webhook-signature']!.split(' ')).toHaveLength(2);
  for (const secret of [one, two])
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature');
  expect(() => new Webhook(one).verify(`${body} `, headers)).toThrow('No matching signature');
});

test('the headers are those that standardwebhooks makes', () => {
  const secret = createSecret();
  const { id, sentAt } = message();
  const headers = signatureHeaders({ id, sentAt, body }, [secret]);
  expect(headers['webhook-signature']).toBe(new Webhook(secret).sign(id, sentAt, body));
  expect(headers['webhook-timestamp']).toBe(String(Math.floor(sentAt.getTime() / 1000)));
});
