import { connect, launched } from '@session-launch/testing/lifecycle.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { useService } from '../harness/service.ts';
import { answerWith, createWebhook, startReceiver } from '../harness/webhook-receiver.ts';

const service = useService();

test('silent, endless and redirecting receivers are ended or refused, and others are not delayed', async (context) => {
  const world = await createWorld(service);
  const good = await startReceiver();
  const silent = await startReceiver(() => undefined);
  let written = 0;
  let isCut = false;
  const endless = await startReceiver((received, response, request) => {
    received.status = 200;
    response.writeHead(200);
    const chunk = Buffer.alloc(16 * 1024, 'x');
    const more = () => {
      while (!isCut && response.write(chunk)) written += chunk.length;
    };
    response.on('drain', more);
    request.socket.on('close', () => {
      isCut = true;
    });
    more();
  });
  const target = await startReceiver();
  const redirecting = await startReceiver(
    answerWith(302, { Location: 'http://169.254.169.254/latest/meta-data' }),
  );
  const elsewhere = await startReceiver(answerWith(307, { Location: target.url }));
  const all = [good, silent, endless, target, redirecting, elsewhere];
  context.onTestFinished(async () => {
    for (const receiver of all) await receiver.close();
  });
  const events = ['session.created', 'session.started'];
  const [, ofSilent, ofEndless, ofRedirecting, ofElsewhere] = await Promise.all(
    [good, silent, endless, redirecting, elsewhere].map((receiver) =>
      createWebhook(service, world.projectId, { ...receiver, events }),
    ),
  );
  const launch = await launched(service, world);
  await good.until(() => good.accepted().length === 1);
  await silent.until(() => silent.received.length === 1);
  // The silent receiver holds its attempt for 15 seconds; others get the next event before that.
  await connect(service, launch);
  await good.until(() => good.accepted().length === 2);
  expect(silent.received).toHaveLength(1);

  const first = async (webhook: typeof ofSilent) => (await webhook!.get('/deliveries')).deliveries.at(-1);
  const attempted = (webhook: typeof ofSilent) =>
    expect.poll(async () => (await first(webhook))?.attempts[0], { timeout: 60_000 });
  await attempted(ofEndless).toMatchObject({ status: 200, response: 'x'.repeat(1024) });
  await expect.poll(() => isCut, { timeout: 60_000 }).toBe(true);
  // 64 KiB, and what the buffers of both sockets hold.
  expect(written).toBeLessThan(16 * 1024 * 1024);
  for (const webhook of [ofRedirecting, ofElsewhere]) {
    await attempted(webhook).toMatchObject({ status: expect.any(Number) });
    expect(await first(webhook)).toMatchObject({ status: 'pending' });
  }
  expect(target.received).toEqual([]);
  await attempted(ofSilent).toMatchObject({ error: 'no complete response within 15 s' });
  const { milliseconds } = (await first(ofSilent)).attempts[0];
  expect(milliseconds).toBeGreaterThanOrEqual(14_900);
});
