import { postgresFleet } from '@session-launch/testing/fleet.ts';
import { type Link, startTcpProxy } from '@session-launch/testing/tcp-proxy.ts';
import { expect, test } from 'vitest';

/** The statements of a start, by what stands in them. */
const moments = {
  'the first question': 'server_version_num',
  'the lock of the migrations': 'pg_advisory_xact_lock',
  'the end of the migrations': 'COMMIT',
};

test.concurrent.for(
  Object.entries(moments).flatMap(([moment, words]) => [
    { moment, words, others: 'pass' as const, what: 'one connection is silent' },
    { moment, words, others: 'mute' as const, what: 'all connections are silent' },
  ]),
)('a start ends with one line when $what from $moment on', async ({ words, others }, { onTestFinished }) => {
  const fleet = await postgresFleet(onTestFinished);
  let greeting: 'pass' | 'mute' = 'pass';
  const toServer = (link: Link, bytes: Buffer) => {
    if (greeting === 'mute' || !bytes.includes(words)) return greeting === 'pass';
    greeting = others;
    link.mute();
    return false;
  };
  const proxy = await startTcpProxy(onTestFinished, Number(new URL(fleet.databaseUrl).port), {
    greets: () => greeting,
    toServer,
  });
  await expect(fleet.start({ DATABASE_URL: proxy.through(fleet.databaseUrl) })).rejects.toThrow(
    /^the service ended with 1: (\{.*\}\n)*session-launch: [^\n]*\n$/,
  );
});

test.concurrent('a start goes on when only the channel of changes is silent', async ({ onTestFinished }) => {
  const fleet = await postgresFleet(onTestFinished);
  const proxy = await startTcpProxy(onTestFinished, Number(new URL(fleet.databaseUrl).port), {
    toServer: (_link, bytes) => !bytes.includes('LISTEN'),
  });
  const service = await fleet.start({ DATABASE_URL: proxy.through(fleet.databaseUrl) });
  expect((await service.call({ path: '/readyz' })).status).toBe(200);
});
