import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Outbound, OutboundError } from '../../src/outbound/outbound.ts';
import { sealSecret } from '../../src/outbound/sealed-secret.ts';
import { createSecret } from '../../src/outbound/signature.ts';
import { parseSigningKeys, type SigningKeys } from '../../src/tokens/signing-keys.ts';
import { attempt } from '../../src/webhooks/attempt.ts';
import { answerWith, type Receiver, startReceiver } from '../harness/webhook-receiver.ts';

let receiver: Receiver;
let keys: SigningKeys;
beforeAll(async () => {
  receiver = await startReceiver();
  keys = await newKeys();
});
afterAll(() => receiver.close());

const newKeys = () => {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return parseSigningKeys(JSON.stringify({ keys: [jwk] }), 'keys.json');
};
const event = { eventId: 'evt_1', type: 'webhook.test' as const, at: new Date(), data: {} };
const to = (url: string, signingKeys = keys) => ({
  webhookId: 'whk_1',
  url,
  secret: sealSecret(signingKeys, 'whk_1', createSecret()),
  formerSecret: null,
});

test('a name that turns private between two attempts is refused, and nothing is sent', async () => {
  let addresses = ['127.0.0.1'];
  const outbound = new Outbound({ allowPrivate: true, resolve: async () => addresses });
  const { port } = new URL(receiver.url);
  const deps = { outbound, signingKeys: keys, version: '1' };
  const target = to(`http://rebound.localhost:${port}/`);
  receiver.answer = answerWith(204, { Connection: 'close' });
  expect(await attempt(deps, target, event)).toMatchObject({ isDelivered: true });
  for (const turned of [['169.254.169.254'], ['10.0.0.1'], ['127.0.0.1', '10.0.0.1'], ['::ffff:127.0.0.1']]) {
    addresses = turned;
    expect(await attempt(deps, target, event)).toMatchObject({
      isDelivered: false,
      isAway: true,
      record: { error: expect.stringContaining('reserved address') },
    });
  }
  expect(receiver.received).toHaveLength(1);
  await outbound.close();
});

test.each([
  [204, { isDelivered: true, isGone: false, isAway: false }],
  [302, { isDelivered: false, isGone: false, isAway: false }],
  [410, { isDelivered: false, isGone: true, isAway: false }],
  [500, { isDelivered: false, isGone: false, isAway: false }],
  [503, { isDelivered: false, isGone: false, isAway: true, askedMs: 7_000 }],
])('the status %d means %j', async (status, expected) => {
  const outbound = new Outbound({ allowPrivate: true });
  receiver.answer = answerWith(status, { 'Retry-After': '7' });
  const deps = { outbound, signingKeys: keys, version: '1' };
  expect(await attempt(deps, to(receiver.url), event)).toMatchObject(expected);
  await outbound.close();
});

test('a secret whose signing key is gone is reported, and nothing is sent', async () => {
  const outbound = new Outbound({ allowPrivate: true });
  const before = receiver.received.length;
  const deps = { outbound, signingKeys: await newKeys(), version: '1' };
  expect(await attempt(deps, to(receiver.url), event)).toMatchObject({
    isAway: true,
    record: { error: expect.stringContaining('create a new secret') },
  });
  expect(receiver.received).toHaveLength(before);
  await outbound.close();
});

test.each([
  ['ä'.repeat(600), 'ä'.repeat(512), true],
  [`x${'ä'.repeat(600)}`, `x${'ä'.repeat(511)}`, true],
  [`xx${'😀'.repeat(300)}`, `xx${'😀'.repeat(255)}`, true],
  ['x'.repeat(1024), 'x'.repeat(1024), undefined],
  ['a\0b', 'a\u{fffd}b', undefined],
])('a response is cut between characters, and marked', async (answered, response, responseTruncated) => {
  const outbound = new Outbound({ allowPrivate: true });
  receiver.answer = answerWith(200, {}, answered);
  const deps = { outbound, signingKeys: keys, version: '1' };
  const { record } = await attempt(deps, to(receiver.url), event);
  expect([record.response, record.responseTruncated]).toEqual([response, responseTruncated]);
  await outbound.close();
});

test('a reason that the database could not store is made storable and short', async () => {
  const send = async () => {
    throw new OutboundError('network', `a\0b\ud800${'c'.repeat(10_000)}`);
  };
  const deps = { outbound: { send }, signingKeys: keys, version: '1' };
  const { record } = await attempt(deps, to(receiver.url), event);
  expect(record.error).toBe(`a\u{fffd}b\u{fffd}${'c'.repeat(496)}`);
});
