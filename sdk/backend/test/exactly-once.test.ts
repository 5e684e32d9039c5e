import { connect } from 'node:net';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { type Link, startTcpProxy } from '@session-launch/testing/tcp-proxy.ts';
import { createWorld, sessionsOf } from '@session-launch/testing/world.ts';
import { expect, onTestFinished, test } from 'vitest';
import { type Minted, SessionLaunch } from '../src/index.ts';

const service = deployedService();
const servicePort = Number(new URL(service.url).port);
const projects = 5;
const mintsEach = 20;
/** Concurrent mints per project. */
const atOnce = 10;

type Trouble = 'none' | 'lost' | 'reset' | 'answer lost' | 'answer reset' | 'twice';

/** Network faults, applied to the requests in turn, so that each occurs. */
const troubles: Trouble[] = [
  'none',
  'answer reset',
  'twice',
  'none',
  'answer lost',
  'none',
  'reset',
  'none',
  'lost',
];

test('100 mints over a network that drops, resets, delays and repeats create one session per launch', async () => {
  const worlds = await Promise.all(Array.from({ length: projects }, () => createWorld(service)));
  const met: Record<string, number> = {};
  const proxy = await badNetwork((trouble) => {
    met[trouble] = (met[trouble] ?? 0) + 1;
  });
  let retries = 0;
  const log = () => {
    retries++;
  };
  const launches = await Promise.all(
    worlds.map(async (world) => {
      const client = new SessionLaunch({
        baseUrl: proxy.through(service.url),
        apiKey: world.key,
        timeoutMs: 3_000,
        // High enough that no mint runs out of retries.
        maxRetries: 200,
        log,
      });
      const mintSome = async () => {
        const minted: Minted[] = [];
        for (let n = 0; n < mintsEach / atOnce; n++)
          minted.push(await client.sessions.mint({ experienceId: world.experienceId }));
        return minted;
      };
      return (await Promise.all(Array.from({ length: atOnce }, mintSome))).flat();
    }),
  );
  for (const [index, world] of worlds.entries()) {
    const minted = (launches[index] ?? []).map(({ session }) => session.sessionId).sort();
    const stored = (await sessionsOf(service, world.projectId)).map(({ sessionId }) => sessionId).sort();
    expect(new Set(minted).size).toBe(mintsEach);
    expect(stored).toEqual(minted);
  }
  expect(launches.flat().filter(({ replayed }) => replayed).length).toBeGreaterThan(0);
  expect(Object.keys(met).sort()).toEqual([...new Set(troubles)].sort());
  expect(retries).toBeGreaterThan(0);
});

/** A proxy to the service that delays traffic and injects faults. */
async function badNetwork(tell: (trouble: Trouble) => void) {
  const undo: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const one of undo.reverse()) await one();
  });
  const late = await startTcpProxy((one) => undo.push(one), servicePort, { lateMs: 20 });
  const requests = new WeakMap<Link, { text: string; trouble: Trouble }>();
  let next = 0;
  return startTcpProxy((one) => undo.push(one), late.port, {
    toServer: (link, bytes) => {
      const text = bytes.toString('latin1');
      if (text.startsWith('POST ')) {
        const trouble = troubles[next++ % troubles.length] ?? 'none';
        tell(trouble);
        requests.set(link, { text: '', trouble });
      }
      const request = requests.get(link);
      if (request === undefined) return true;
      request.text += text;
      if (request.trouble === 'reset') link.cut();
      if (request.trouble === 'lost') link.mute();
      if (request.trouble === 'twice' && isWhole(request.text)) repeat(request.text);
      return request.trouble !== 'reset' && request.trouble !== 'lost';
    },
    toClient: (link) => {
      const trouble = requests.get(link)?.trouble;
      if (trouble === 'answer reset') link.cut();
      if (trouble === 'answer lost') link.mute();
      return trouble !== 'answer reset' && trouble !== 'answer lost';
    },
  });
}

function isWhole(request: string): boolean {
  const [head = '', body] = request.split('\r\n\r\n');
  return body !== undefined && body.length >= Number(/content-length: (\d+)/i.exec(head)?.[1]);
}

/** Sends the same bytes again on a new connection and ignores the response. */
function repeat(request: string): void {
  const again = connect(servicePort, '127.0.0.1');
  again.on('error', () => undefined);
  again.once('data', () => again.destroy());
  again.write(Buffer.from(request, 'latin1'));
}
