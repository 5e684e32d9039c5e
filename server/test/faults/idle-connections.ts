import { execFileSync } from 'node:child_process';
import { openConnection, type RawConnection } from '@session-launch/testing/raw-http.ts';
import { mintFromServer } from '@session-launch/testing/world.ts';
import { expect, test, vi } from 'vitest';
import { timeLimits } from '../../../testing/src/tiers.ts';
import { effort } from '../harness/effort.ts';
import { openNow, type TestedService, wire } from './victim.ts';

/** Each connection needs a descriptor on both sides, so the number is limited by the system's hard limit. */
const allowed = Number(execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' })) || 20_000;
const crowd = Math.min(effort(1_000, 10_000), allowed - 1_000);

const ask = wire('GET /healthz HTTP/1.1');

/** Needs a service whose number of sessions is not checked by other tests. */
export function crowds(tested: TestedService): void {
  /** Opens connections in small groups, so that the accept queue does not overflow. */
  async function open(count: number, first: string): Promise<RawConnection[]> {
    const connections: RawConnection[] = [];
    while (connections.length < count) {
      const group = Array.from({ length: Math.min(250, count - connections.length) }, () =>
        openConnection(tested.service.url),
      );
      for (const { socket } of group) if (first) socket.write(first);
      const event = first ? 'data' : 'connect';
      await Promise.all(group.map(({ socket }) => new Promise((resolve) => socket.once(event, resolve))));
      connections.push(...group);
    }
    return connections;
  }

  async function mints(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const { status } = await mintFromServer(tested.service, tested.world.key, {
        experienceId: tested.world.experienceId,
      });
      expect(status).toBe(201);
    }
  }

  test('thousands of idle connections cost little memory and block no mint', async () => {
    const quiet = await tested.metric(openNow);
    const memory = await tested.metric('process_resident_memory_bytes');
    // Half of the connections send one request and stay open, as browsers and proxies do; the others send nothing.
    const kept = await open(crowd / 2, ask);
    const silent = await open(crowd / 2, '');
    await vi.waitFor(
      async () => expect(await tested.metric(openNow)).toBeGreaterThan(quiet + crowd * 0.95),
      timeLimits(3).testTimeout,
    );
    await mints(100);
    const grown = (await tested.metric('process_resident_memory_bytes')) - memory;
    // A connection has some buffers and a parser: less than 50 KB each, plus the garbage of the mints.
    expect(grown).toBeLessThan(crowd * 50_000 + 60_000_000);

    // The silent half is closed by the headers timeout; the other half stays open.
    await Promise.all(silent.map(({ closed }) => closed));
    expect(kept.filter(({ socket }) => socket.destroyed)).toEqual([]);
    const [first] = kept;
    first!.socket.write(ask);
    await vi.waitFor(
      () =>
        expect(
          first!
            .received()
            .toString()
            .match(/HTTP\/1\.1 200/g),
        ).toHaveLength(2),
      timeLimits(3).testTimeout,
    );

    for (const { socket } of kept) socket.resetAndDestroy();
    await vi.waitFor(
      async () => expect(await tested.metric(openNow)).toBeLessThan(quiet + 20),
      timeLimits(3).testTimeout,
    );
    await mints(20);
  });
}
