import { clonedDatabase } from '@session-launch/testing/cloned-database.ts';
import { type Cleanup, postgresFleet, untilReady } from '@session-launch/testing/fleet.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { type Link, startTcpProxy } from '@session-launch/testing/tcp-proxy.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FailingStarts } from '../harness/failing-starts.ts';

/** The statements that a start sends, identified by a part of their text. */
const moments = {
  'the first question': 'server_version_num',
  'the lock of the migrations': 'pg_advisory_xact_lock',
  'the end of the migrations': 'COMMIT',
};

let starts: FailingStarts;
beforeAll(() => {
  starts = new FailingStarts();
});
afterAll(() => starts.close());

/** A proxy to the database. The connection that sends `words` gets no more responses; `others` decides about later connections. */
async function silentFrom(cleanup: Cleanup, url: string, words: string, others: 'pass' | 'mute') {
  let greeting: 'pass' | 'mute' = 'pass';
  const toServer = (link: Link, bytes: Buffer) => {
    if (greeting === 'mute' || !bytes.includes(words)) return greeting === 'pass';
    greeting = others;
    link.mute();
    return false;
  };
  const proxy = await startTcpProxy(cleanup, Number(new URL(url).port), { greets: () => greeting, toServer });
  return proxy.through(url);
}

test.concurrent.for(
  Object.entries(moments).flatMap(([moment, words]) => [
    { moment, words, others: 'pass' as const, what: 'one connection is silent' },
    { moment, words, others: 'mute' as const, what: 'all connections are silent' },
  ]),
)('a start fails with one line when $what from $moment on', async ({ words, others }, { onTestFinished }) => {
  const { url, drop } = await clonedDatabase();
  onTestFinished(drop);
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const DATABASE_URL = await silentFrom(onTestFinished, url, words, others);
  const { code, lines } = await starts.start({
    DATABASE_URL,
    DATABASE_WAIT_SECONDS: '0',
    DATA_DIR: folder.path,
  });
  expect(lines).toEqual([expect.stringMatching(/^session-launch: \S/)]);
  expect(code).toBe(1);
});

test.concurrent('dead connections do not keep the process alive', async ({ onTestFinished }) => {
  const fleet = await postgresFleet(onTestFinished);
  const words = moments['the end of the migrations'];
  const DATABASE_URL = await silentFrom(onTestFinished, fleet.databaseUrl, words, 'mute');
  await expect(fleet.start({ DATABASE_URL, DATABASE_WAIT_SECONDS: '0' })).rejects.toThrow(
    /^the process ended with 1: (\{.*\}\n)*session-launch: [^\n]*\n$/,
  );
});

test.concurrent('a start continues when only the notification channel is dead', async ({
  onTestFinished,
}) => {
  const fleet = await postgresFleet(onTestFinished);
  const proxy = await startTcpProxy(onTestFinished, Number(new URL(fleet.databaseUrl).port), {
    toServer: (_link, bytes) => !bytes.includes('LISTEN'),
  });
  const service = await fleet.start({ DATABASE_URL: proxy.through(fleet.databaseUrl) });
  await untilReady(service);
});
