import { deployedService } from '@session-launch/testing/deployment.ts';
import {
  createWorld,
  expectError,
  experience,
  mintFromBrowser,
  mintFromPublic,
  mintFromServer,
  pageOrigin,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';

const service = deployedService();

interface Session {
  sessionId: string;
  experienceId: string;
  status: string;
  source: string;
  userId?: string;
  createdAt: string;
}

type Query = Record<string, string>;

const ask = (projectId: string, query: Query | string = {}) =>
  service.admin({ path: `/admin/projects/${projectId}/sessions?${new URLSearchParams(query)}` });

async function page(
  projectId: string,
  query: Query = {},
): Promise<{ sessions: Session[]; nextCursor?: string }> {
  const answer = await ask(projectId, query);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

/** Follows the cursors to the last page; calls `between` between pages. */
async function everyPage(projectId: string, query: Query, between = async () => {}): Promise<Session[][]> {
  const pages: Session[][] = [];
  let cursor: string | undefined;
  do {
    const { sessions, nextCursor } = await page(projectId, { ...query, ...(cursor ? { cursor } : {}) });
    pages.push(sessions);
    cursor = nextCursor;
    await between();
  } while (cursor !== undefined);
  return pages;
}

const idsOf = (records: Session[]) => records.map((record) => record.sessionId);

async function mintMany(world: World, count: number, body: object = {}): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, () =>
      mintFromServer(service, world.key, { experienceId: world.experienceId, ...body }),
    ),
  );
  return answers.map((answer) => answer.json.session.sessionId as string);
}

describe('listing', () => {
  test('a project without sessions has an empty list', async () => {
    const world = await createWorld(service);
    expect(await page(world.projectId)).toEqual({ sessions: [] });
  });

  test('shows each session as its project reads it, newest first', async () => {
    const world = await createWorld(service);
    const minted: string[] = [];
    for (let i = 0; i < 5; i++) minted.push(...(await mintMany(world, 1)));
    const { sessions, nextCursor } = await page(world.projectId);
    expect(nextCursor).toBeUndefined();
    expect(idsOf(sessions)).toEqual(minted.toReversed());
    const own = await service.call({
      path: `/v1/sessions/${minted[0]}`,
      headers: { Authorization: `Bearer ${world.key}` },
    });
    expect(sessions.at(-1)).toEqual(own.json);
    expect(JSON.stringify(sessions)).not.toMatch(/token|player/i);
  });

  test('sessions of other projects are not listed', async () => {
    const [world, other] = [await createWorld(service), await createWorld(service)];
    await mintMany(other, 3);
    const [own] = await mintMany(world, 1);
    expect(idsOf((await page(world.projectId)).sessions)).toEqual([own]);
    const foreign = await page(world.projectId, { experienceId: other.experienceId });
    expect(foreign.sessions).toEqual([]);
  });

  test('a project that does not exist is 404', async () => {
    expectError(await ask('prj_nobody'), 404, 'PROJECT_NOT_FOUND');
    expectError(await ask('nobody'), 400, 'INVALID_REQUEST');
  });
});

describe('pages', () => {
  let world: World;
  let minted: string[];
  beforeAll(async () => {
    world = await createWorld(service);
    minted = await mintMany(world, 103);
  });

  test('hold 100 sessions by default', async () => {
    const first = await page(world.projectId);
    expect(first.sessions).toHaveLength(100);
    expect(first.nextCursor).toBe(first.sessions.at(-1)?.sessionId);
    const second = await page(world.projectId, { cursor: first.nextCursor ?? '' });
    expect(second.sessions).toHaveLength(3);
    expect(second).not.toHaveProperty('nextCursor');
    expect(new Set(idsOf([...first.sessions, ...second.sessions]))).toEqual(new Set(minted));
  });

  test.each([5, 50, 102, 103, 104, 500])('of %i cover all sessions exactly once', async (limit) => {
    const pages = await everyPage(world.projectId, { limit: String(limit) });
    const ids = idsOf(pages.flat());
    expect(ids).toEqual([...new Set(ids)]);
    expect(new Set(ids)).toEqual(new Set(minted));
    expect(ids).toEqual(ids.toSorted().toReversed());
    for (const full of pages.slice(0, -1)) expect(full).toHaveLength(limit);
  });

  test('a page that ends with the last session has no cursor', async () => {
    const { sessions, nextCursor } = await page(world.projectId, { limit: '103' });
    expect({ count: sessions.length, nextCursor }).toEqual({ count: 103, nextCursor: undefined });
  });

  test('sessions created between pages are neither repeated nor hide others', async () => {
    const busy = await createWorld(service);
    const before = await mintMany(busy, 30);
    const pages = await everyPage(busy.projectId, { limit: '4' }, async () => {
      await mintMany(busy, 3);
    });
    const ids = idsOf(pages.flat());
    expect(ids).toEqual([...new Set(ids)]);
    expect(new Set(ids)).toEqual(new Set(before));
    expect(idsOf((await page(busy.projectId, { limit: '500' })).sessions).length).toBeGreaterThan(30);
  });

  test('sessions that end between pages keep their position', async () => {
    const busy = await createWorld(service);
    const before = await mintMany(busy, 12);
    const left = [...before];
    const pages = await everyPage(busy.projectId, { limit: '5' }, async () => {
      const id = left.pop();
      await service.call({
        method: 'POST',
        path: `/v1/sessions/${id}/end`,
        headers: { Authorization: `Bearer ${busy.key}` },
      });
    });
    expect(new Set(idsOf(pages.flat()))).toEqual(new Set(before));
  });

  test('a cursor works with the filter of its request', async () => {
    const mixed = await createWorld(service);
    const wanted: string[] = [];
    for (let i = 0; i < 6; i++) {
      await mintMany(mixed, 2);
      wanted.push(...(await mintMany(mixed, 1, { userId: 'ada' })));
    }
    const pages = await everyPage(mixed.projectId, { limit: '4', userId: 'ada' });
    expect(idsOf(pages.flat())).toEqual(wanted.toReversed());
  });

  test.each<[string, Query | string]>([
    ['limit 0', { limit: '0' }],
    ['limit -1', { limit: '-1' }],
    ['limit 501', { limit: '501' }],
    ['limit 1000', { limit: '1000' }],
    ['limit 1.5', { limit: '1.5' }],
    ['limit ten', { limit: 'ten' }],
    ['an empty limit', { limit: '' }],
    ['two limits', 'limit=1&limit=2'],
    ['a junk cursor', { cursor: 'junk' }],
    ['an empty cursor', { cursor: '' }],
    ['a cursor with SQL in it', { cursor: "ses_' OR 1=1 --" }],
    ['another kind of id as cursor', { cursor: 'key_01h455vb4pex5vsknk084sn02q' }],
    ['two cursors', 'cursor=ses_a&cursor=ses_b'],
    ['an unknown status', { status: 'running' }],
    ['an unknown source', { source: 'api' }],
    ['an experience without prefix', { experienceId: 'cafe' }],
    ['an empty user', { userId: '' }],
    ['a user of 257 characters', { userId: 'x'.repeat(257) }],
    ['a user with NUL', { userId: 'a\0b' }],
    ['an unknown parameter', { order: 'asc' }],
  ])('%s is 400 and names the parameter', async (_, query) => {
    const answer = await ask(world.projectId, query);
    expectError(answer, 400, 'INVALID_REQUEST');
    const [name] = new URLSearchParams(query).keys();
    expect(answer.json.error.message).toContain(name);
  });
});

describe('filters', () => {
  let world: World;
  let other: string;
  const minted: Session[] = [];
  beforeAll(async () => {
    const experiences = [0, 1].map(() => experience({ public: true, allowedOrigins: [pageOrigin] }));
    world = await createWorld(service, { experiences });
    other = experiences[1]?.id;
    for (const experienceId of [world.experienceId, other]) {
      for (const userId of ['ada', 'grace & co; 50%', undefined]) {
        const { json } = await mintFromServer(service, world.key, { experienceId, userId });
        minted.push(json.session);
      }
      minted.push((await mintFromBrowser(service, { experienceId })).json.session);
      const { sessionId } = (await mintFromPublic(service, { experienceId })).json;
      const read = await service.call({
        path: `/v1/sessions/${sessionId}`,
        headers: { Authorization: `Bearer ${world.key}` },
      });
      minted.push(read.json);
    }
    for (const [index, record] of minted.entries()) {
      if (index % 2 === 1) continue;
      const ended = await service.call({
        method: 'POST',
        path: `/v1/sessions/${record.sessionId}/end`,
        headers: { Authorization: `Bearer ${world.key}` },
      });
      minted[index] = ended.json;
    }
  });

  const queries: Query[] = [
    {},
    { status: 'created' },
    { status: 'ended' },
    { source: 'server' },
    { source: 'browser' },
    { source: 'public' },
    { userId: 'ada' },
    { userId: 'grace & co; 50%' },
    { userId: 'ad' },
    { userId: '%' },
    { status: 'ended', source: 'server' },
    { status: 'created', userId: 'ada' },
    { source: 'browser', userId: 'ada' },
  ];

  test.each(queries.flatMap((query) => [false, true].map((one) => [query, one] as const)))(
    '%o, of one experience: %s',
    async (query, ofOne) => {
      const asked: Query = { ...query, ...(ofOne ? { experienceId: other } : {}) };
      const expected = minted.filter((record) =>
        Object.entries(asked).every(([field, value]) => record[field as keyof Session] === value),
      );
      const pages = await everyPage(world.projectId, { ...asked, limit: '2' });
      expect(pages.flat()).toEqual(expected.toSorted((a, b) => (a.sessionId < b.sessionId ? 1 : -1)));
    },
  );

  test('an experience that does not exist has no sessions', async () => {
    expect(await page(world.projectId, { experienceId: 'exp_nobody' })).toEqual({ sessions: [] });
  });
});
