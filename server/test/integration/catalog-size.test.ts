import type { Answer } from '@session-launch/testing/http.ts';
import { createWorld, experience, uniqueId, type World } from '@session-launch/testing/world.ts';
import { expect, test, vi } from 'vitest';
import { effort } from '../harness/effort.ts';
import { type Service, useService } from '../harness/service.ts';

const service = useService();

const gallery = {
  avatarId: 'ada',
  thumbnailPath: '/avatars/ada/thumb.svg',
  galleryThumb: { avatarImage: '/avatars/ada/full.svg', backgroundImage: '/locations/lab/wide.svg' },
};

function read({ projectId, key }: World, below = ''): Promise<Answer> {
  return service.call({
    path: `/v1/projects/${projectId}/experiences${below}`,
    headers: { Authorization: `Bearer ${key}` },
  });
}

test('many experiences are listed correctly, in order and with one query', async () => {
  const count = effort(150, 2_000);
  const order = Array.from({ length: count }, (_, i) => (i * 7919) % count);
  const suffix = uniqueId('').slice(1);
  const experiences = order.map((n) =>
    experience({
      id: `exp_${String(n).padStart(4, '0')}_${suffix}`,
      slug: `n-${n}`,
      sortOrder: n % 100,
      ...gallery,
    }),
  );
  const world = await createWorld(service, { experiences });
  // Caches the key, so that only queries of the catalog are counted.
  expect((await read({ ...world, projectId: 'prj_other' })).status).toBe(403);
  const sent = statementsOf(service);
  const answer = await read(world);
  const statements = sent();
  expect(answer.status).toBe(200);
  const expected = Array.from({ length: count }, (_, n) => n)
    .sort((a, b) => (a % 100) - (b % 100) || a - b)
    .map((n) => `n-${n}`);
  expect(answer.json.experiences.map((e: { slug: string }) => e.slug)).toEqual(expected);
  expect(statements).toBe(1);
  const again = statementsOf(service);
  expect((await read(world, '/n-123')).json).toEqual(
    answer.json.experiences.find((e: { slug: string }) => e.slug === 'n-123'),
  );
  expect(again()).toBe(0);
});

/** Counts the statements about experiences. Maintenance may send other statements at any time. */
function statementsOf({ database }: Service): () => number {
  const query = vi.spyOn(database, 'query');
  return () => {
    const texts = query.mock.calls.map(([, statement]) => statement.text);
    query.mockRestore();
    return texts.filter((text) => /\b(experiences|revisions|projects)\b/.test(text)).length;
  };
}
