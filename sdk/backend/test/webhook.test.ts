import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { verifyWebhook, type WebhookError } from '../src/index.ts';

const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const other = `whsec_${Buffer.from('fedcba9876543210fedcba9876543210').toString('base64')}`;
const event = { type: 'session.ended', timestamp: '2026-03-01T09:41:12.345Z', data: { note: 'ü 😀 \u2028' } };
const body = JSON.stringify(event);
const now = () => new Date();

function signed({ at = now(), by = secret, text = body } = {}): Record<string, string> {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign('evt_1', at, text),
  };
}

test('accepts what standardwebhooks signs, in every form of a request', async () => {
  const headers = signed();
  const verified = { id: 'evt_1', ...event };
  const upper = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
  );
  for (const request of [
    new Request('https://shop.example/webhooks', { method: 'POST', headers, body }),
    { headers, body },
    { headers: upper, body: Buffer.from(body) },
    { headers: new Headers(headers), body: new TextEncoder().encode(body).buffer as ArrayBuffer },
  ])
    expect(await verifyWebhook(request, secret)).toEqual(verified);
});

test('accepts a signature made by hand, and standardwebhooks accepts the same', async () => {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.slice(6), 'base64');
  const signature = createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`).digest('base64');
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  expect(await verifyWebhook({ headers, body }, secret)).toEqual({ id: 'evt_1', ...event });
  expect(new Webhook(secret).verify(body, headers)).toEqual(event);
});

test('accepts any of several signatures, and any of several secrets', async () => {
  const headers = signed();
  headers['webhook-signature'] =
    `v1a,AAAA v1,!!! ${signed({ by: other })['webhook-signature']} ${headers['webhook-signature']}`;
  for (const secrets of [secret, other, ['whsec_AAAA', secret]])
    expect(await verifyWebhook({ headers, body }, secrets)).toMatchObject({ id: 'evt_1' });
});

const codeOf = (headers: Record<string, string>, text = body) =>
  verifyWebhook({ headers, body: text }, secret).then(
    () => 'accepted',
    (error) => (error as WebhookError).code,
  );

test('rejects another secret, a changed id, time or body, and no known signature', async () => {
  expect(await codeOf(signed({ by: other }))).toBe('SIGNATURE');
  expect(await codeOf({ ...signed(), 'webhook-id': 'evt_2' })).toBe('SIGNATURE');
  expect(await codeOf(signed(), `${body} `)).toBe('SIGNATURE');
  const later = String(Math.floor(Date.now() / 1000) + 10);
  expect(await codeOf({ ...signed(), 'webhook-timestamp': later })).toBe('SIGNATURE');
  for (const signature of ['', 'v1,', 'v1', 'v2,AAAA', signed()['webhook-signature']!.slice(0, -4)])
    expect(await codeOf({ ...signed(), 'webhook-signature': signature })).toBe('SIGNATURE');
});

test('rejects a request that is more than five minutes old or ahead', async () => {
  const at = (seconds: number) => codeOf(signed({ at: new Date(Date.now() + seconds * 1000) }));
  expect([await at(-290), await at(290)]).toEqual(['accepted', 'accepted']);
  expect([await at(-310), await at(310)]).toEqual(['TIMESTAMP', 'TIMESTAMP']);
  expect(await codeOf({ ...signed(), 'webhook-timestamp': 'now' })).toBe('TIMESTAMP');
});

test('rejects missing headers and a body that is not JSON', async () => {
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    const { [name]: _, ...headers } = signed();
    expect(await codeOf(headers)).toBe('HEADERS');
  }
  expect(await codeOf(signed({ text: 'text' }), 'text')).toBe('BODY');
});

test('a secret that is not one is an error of the caller', async () => {
  for (const wrong of ['', 'whsec_', 'whsec_ü'])
    await expect(verifyWebhook({ headers: signed(), body }, wrong)).rejects.toThrow(TypeError);
});
