import {
  apply,
  createWorld,
  mintFromBrowser,
  mintFromPublic,
  mintFromServer,
  pageOrigin,
  type World,
} from '@session-launch/testing/world.ts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Tallies } from '../../src/statistics/tallies.ts';
import { rollUpTallies } from '../../src/statistics/tally-roll-up.ts';
import { deleteOldTallies } from '../../src/statistics/tally-rows.ts';
import { noHousekeeping, startService, useService } from '../harness/service.ts';

const service = useService({}, noHousekeeping);
const query = <Row>(text: string, values: unknown[] = []) =>
  service.database.query<Row>('admin', { text }, values);

async function overview({ projectId }: Pick<World, 'projectId'>, window = '1h') {
  await service.tallies.flush();
  const answer = await service.admin({ path: `/admin/projects/${projectId}/overview?window=${window}` });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

const refusedFrom = (world: World, origin: string) =>
  mintFromBrowser(service, { experienceId: world.experienceId }, { Origin: origin });

describe('an overview', () => {
  test('of a new project has all of its points, no refusals, and open steps', async () => {
    const world = await createWorld(service, { project: { allowedOrigins: [] }, experiences: [] });
    for (const [window, points, minutes] of [
      ['1h', 60, 1],
      ['24h', 96, 15],
      ['7d', 84, 120],
    ] as const) {
      const shown = await overview(world, window);
      expect(shown).toMatchObject({ mints: 0, replays: 0, refused: 0, active: 0, refusals: [] });
      expect(shown).not.toHaveProperty('latency');
      expect(shown).not.toHaveProperty('quota');
      expect(shown.points).toHaveLength(points);
      const times = shown.points.map(({ at }: { at: string }) => Date.parse(at));
      for (const [n, time] of times.entries()) expect(time).toBe(times[0] + n * minutes * 60_000);
      expect(times[0] % (minutes * 60_000)).toBe(0);
      expect(shown.steps).toEqual(
        ['experience', 'published', 'origin', 'launch'].map((id) => ({ id, done: false })),
      );
    }
  });

  test('counts mints, replays and refusals of every endpoint, with their durations', async () => {
    const world = await createWorld(service, {
      project: { limits: { sessionsPerDay: 5 } },
      experience: { public: true, allowedOrigins: [pageOrigin] },
    });
    const body = { experienceId: world.experienceId };
    const key = { 'Idempotency-Key': 'again' };
    await mintFromServer(service, world.key, body, key);
    await mintFromServer(service, world.key, body, key);
    await mintFromBrowser(service, body);
    await mintFromPublic(service, body);
    await mintFromServer(service, world.key, { ...body, userId: 'somebody' }, key);
    const shown = await overview(world);
    expect(shown).toMatchObject({ mints: 3, replays: 1, refused: 1 });
    for (const name of ['mints', 'replays', 'refused'])
      expect(shown.points.reduce((sum: number, point: Record<string, number>) => sum + point[name]!, 0)).toBe(
        shown[name],
      );
    expect(shown.refusals).toMatchObject([{ door: 'server', experienceId: world.experienceId, count: 1 }]);
    expect(shown.refusals[0]).not.toHaveProperty('origin');
    expect(shown.latency.p50).toBeGreaterThan(0);
    expect(shown.latency.p95).toBeGreaterThanOrEqual(shown.latency.p50);
    expect(shown.quota).toEqual({ limit: 5, used: 2, resetsAt: expect.stringMatching(/T00:00:00\.000Z$/) });
    expect(shown.steps.every(({ done }: { done: boolean }) => done)).toBe(true);
  });

  test('shows a refused origin with its fix, until the fix has been made', async () => {
    const world = await createWorld(service, { experience: { public: true } });
    const origin = 'https://shop.example';
    await refusedFrom(world, origin);
    await mintFromPublic(service, { experienceId: world.experienceId }, { Origin: origin });
    const { refusals } = await overview(world);
    const fixes = Object.fromEntries(refusals.map(({ door, fix }: Record<string, string>) => [door, fix]));
    expect(fixes).toEqual({
      browser: { kind: 'allow-origin', origin, projectId: world.projectId },
      public: { kind: 'allow-origin', origin, experienceId: world.experienceId },
    });
    world.file.project.allowedOrigins = [pageOrigin, origin];
    await apply(service, world.file);
    const [fixed] = (await overview(world)).refusals.filter(
      ({ door }: { door: string }) => door === 'browser',
    );
    expect(fixed).toMatchObject({ origin, count: 1, hint: 'This origin has been allowed since.' });
    expect(fixed).not.toHaveProperty('fix');
  });

  test('offers no fix for an origin that an allowlist cannot contain', async () => {
    const world = await createWorld(service);
    for (const origin of ['http://shop.example', 'null', 'https://Shop.example'])
      await refusedFrom(world, origin);
    const { refusals } = await overview(world);
    expect(refusals).toHaveLength(3);
    for (const refusal of refusals) {
      expect(refusal.hint).toMatch(/cannot be allowed/);
      expect(refusal).not.toHaveProperty('fix');
    }
  });

  test('suggests what helps against each refusal', async () => {
    const dual = {
      ...(await createWorld(service)).file.experiences[0]!.runtime,
      languages: { dual: true, default: 'en', conversation: 'match', paired: 'match' },
    };
    const world = await createWorld(service, {
      project: { limits: { mintsPerMinute: 1 } },
      experience: { runtime: dual },
    });
    const body = { experienceId: world.experienceId };
    await mintFromServer(service, world.key, body);
    await mintFromBrowser(service, { ...body, secondaryLocale: 'de' });
    await mintFromBrowser(service, { ...body, secondaryLocale: 'de' });
    await mintFromPublic(service, body);
    const { projectId, experienceId } = world;
    const { refusals } = await overview(world);
    const fixes = new Map(refusals.map(({ code, fix }: Record<string, string>) => [code, fix]));
    expect(Object.fromEntries(fixes)).toEqual({
      SECONDARY_LOCALE_REQUIRED: { kind: 'open-languages', experienceId },
      RATE_LIMITED: { kind: 'raise-limit', projectId, limit: 'mintsPerMinute', value: 1 },
      EXPERIENCE_NOT_FOUND: { kind: 'make-public', experienceId },
    });

    const off = await createWorld(service, {
      project: { browserEmbeds: false, limits: { sessionsPerDay: 0 } },
      experience: { status: 'draft' },
    });
    await mintFromBrowser(service, { experienceId: off.experienceId });
    await mintFromServer(service, off.liveKey, { experienceId: off.experienceId });
    const shown = (await overview(off)).refusals.map(({ fix }: { fix: unknown }) => fix);
    expect(shown).toEqual(
      expect.arrayContaining([
        { kind: 'enable-embeds', projectId: off.projectId },
        { kind: 'publish', experienceId: off.experienceId },
      ]),
    );
    expect(shown).toHaveLength(2);

    const full = await createWorld(service, { project: { limits: { sessionsPerDay: 0 } } });
    await mintFromBrowser(service, { experienceId: full.experienceId });
    expect((await overview(full)).refusals).toMatchObject([
      { code: 'QUOTA_EXCEEDED', fix: { kind: 'raise-limit', limit: 'sessionsPerDay', value: 0 } },
    ]);
  });

  test('counts nothing in a project whose experience a foreign key requests', async () => {
    const [mine, theirs] = [await createWorld(service), await createWorld(service)];
    await mintFromServer(service, mine.key, { experienceId: theirs.experienceId });
    expect((await overview(theirs)).refused).toBe(0);
    expect((await overview(mine)).refused).toBe(0);
  });

  test('is read without writing the counts of the process', async () => {
    const { projectId } = await createWorld(service);
    const flush = vi.spyOn(service.tallies, 'flush');
    onTestFinished(() => flush.mockRestore());
    const path = `/admin/projects/${projectId}/overview`;
    const flushes: number[] = [];
    // Housekeeping may flush during a request, but not during each of them.
    while (flushes.length < 5 && !flushes.includes(0)) {
      flush.mockClear();
      expect((await service.admin({ path })).status).toBe(200);
      flushes.push(flush.mock.calls.length);
    }
    expect(flushes).toContain(0);
  });

  test('is 400 for an unknown window and 404 for an unknown project', async () => {
    const { projectId } = await createWorld(service);
    const paths = [`${projectId}/overview?window=2h`, `${projectId}/overview?x=1`, 'prj_none/overview'];
    const statuses = await Promise.all(
      paths.map(async (path) => (await service.admin({ path: `/admin/projects/${path}` })).status),
    );
    expect(statuses).toEqual([400, 400, 404]);
  });
});

const stored = async (projectId: string) =>
  query<{ origin: string; count: number }>(
    'SELECT origin, sum(count)::integer AS count FROM tallies WHERE project_id = $1 GROUP BY 1',
    [projectId],
  );

describe('old counters', () => {
  const hourMs = 3_600_000;
  const rows = (projectId: string) =>
    query<{ table: string; rows: number; sum: number }>(
      `SELECT 'tallies' AS table, count(*)::integer AS rows, sum(count)::integer AS sum FROM tallies WHERE project_id = $1
       UNION ALL SELECT 'mint_durations', count(*)::integer, sum(count)::integer FROM mint_durations WHERE project_id = $1 ORDER BY 1 DESC`,
      [projectId],
    );
  /** A mint, a replay and a refusal in each minute from `from` on, for the first `minutes`. */
  async function countedMinutes(projectId: string, from: number, minutes: number) {
    const start = new Date(from - (from % 60_000));
    await query(
      `INSERT INTO tallies SELECT $1, minute, 'browser', code, 'exp_old', '', 1, minute + interval '7 seconds'
         FROM generate_series($2::timestamptz, $2::timestamptz + ($3 - 1) * interval '1 minute', '1 minute') minute,
              unnest(ARRAY['launched', 'replayed', 'ORIGIN_NOT_ALLOWED']) code`,
      [projectId, start, minutes],
    );
    await query(
      `INSERT INTO mint_durations SELECT $1, minute, bucket, 1
         FROM generate_series($2::timestamptz, $2::timestamptz + ($3 - 1) * interval '1 minute', '1 minute') minute,
              generate_series(1, 2) bucket`,
      [projectId, start, minutes],
    );
  }

  test('are added up to quarters of an hour and to hours, which changes no window of the overview', async () => {
    const world = await createWorld(service);
    const { projectId } = world;
    const now = Date.now();
    for (const ago of [0.5, 1.5, 20, 23, 40, 100]) await countedMinutes(projectId, now - ago * hourMs, 20);
    const windows = ['1h', '24h', '7d'];
    const shown = async () => Promise.all(windows.map((window) => overview(world, window)));
    const before = await shown();
    expect(before.map(({ mints, refused }) => [mints, refused])).toEqual([
      [20, 20],
      [80, 80],
      [120, 120],
    ]);
    await Promise.all([
      rollUpTallies(service.database, new Date(now), 60_000),
      rollUpTallies(service.database, new Date(now), 60_000),
    ]);
    // A round that meets locked rows skips them.
    await rollUpTallies(service.database, new Date(now), 60_000);
    const after = await shown();
    // The time may have passed a minute between the two.
    if (after[0].points[0].at === before[0].points[0].at) expect(after).toEqual(before);
    const [tallies, durations] = await rows(projectId);
    expect([tallies!.sum, durations!.sum]).toEqual([360, 240]);
    // 40 minutes as they were; 20 minutes lie in at most 3 quarters, or in 2 hours.
    expect(tallies!.rows).toBeLessThanOrEqual(3 * (40 + 2 * 3 + 2 * 2));
    expect(durations!.rows).toBeLessThanOrEqual(2 * (40 + 2 * 3 + 2 * 2));
  });

  test('that a process adds late join the row of their hour', async () => {
    const projectId = 'prj_late';
    const from = Math.floor(Date.now() / hourMs - 50) * hourMs;
    for (let round = 1; round <= 2; round++) {
      if (round === 1) await countedMinutes(projectId, from + 60_000, 59);
      else await countedMinutes(projectId, from + 120_000, 10);
      await rollUpTallies(service.database, new Date(), 60_000);
    }
    expect(await rows(projectId)).toEqual([
      { table: 'tallies', rows: 3, sum: 3 * 69 },
      { table: 'mint_durations', rows: 2, sum: 2 * 69 },
    ]);
    const [row] = await query<{ minute: Date; last_at: Date }>(
      'SELECT minute, last_at FROM tallies WHERE project_id = $1',
      [projectId],
    );
    expect(row).toMatchObject({ minute: new Date(from), last_at: new Date(from + 59 * 60_000 + 7_000) });
  });
});

describe('refusals with invented origins', () => {
  const hourMs = 3_600_000;

  test('leave a bounded number of rows in an interval, the most frequent, and exact sums', async () => {
    const projectId = 'prj_invented';
    const from = Math.floor(Date.now() / hourMs - 50) * hourMs;
    // 60 minutes: 50 origins that appear once, and one that is refused in each of the last 20 minutes.
    await query(
      `INSERT INTO tallies
         SELECT $1, minute, 'browser', 'ORIGIN_NOT_ALLOWED', 'exp_one', 'https://' || gen_random_uuid() || '.example', 1, minute
           FROM generate_series($2::timestamptz, $2::timestamptz + interval '59 minutes', '1 minute') minute, generate_series(1, 50)
         UNION ALL
         SELECT $1, minute, 'browser', 'ORIGIN_NOT_ALLOWED', 'exp_one', 'https://shop.example', 2, minute
           FROM generate_series($2::timestamptz + interval '40 minutes', $2::timestamptz + interval '59 minutes', '1 minute') minute
         UNION ALL
         SELECT $1, minute, 'browser', 'launched', 'exp_one', 'https://' || gen_random_uuid() || '.example', 1, minute
           FROM generate_series($2::timestamptz, $2::timestamptz + interval '59 minutes', '1 minute') minute`,
      [projectId, new Date(from)],
    );
    await rollUpTallies(service.database, new Date(), 60_000);
    const rows = await query<{ minute: Date; code: string; origin: string; count: number }>(
      'SELECT minute, code, origin, count FROM tallies WHERE project_id = $1 ORDER BY count DESC',
      [projectId],
    );
    expect(new Set(rows.map(({ minute }) => minute.getTime()))).toEqual(new Set([from]));
    expect(rows).toHaveLength(50 + 2);
    expect(rows.slice(0, 3)).toMatchObject([
      { code: 'ORIGIN_NOT_ALLOWED', origin: 'others', count: 60 * 50 - 49 },
      { code: 'launched', origin: '', count: 60 },
      { code: 'ORIGIN_NOT_ALLOWED', origin: 'https://shop.example', count: 40 },
    ]);
  });

  test('at several experiences and both endpoints leave 50 rows with an origin in a minute', async () => {
    const projectId = 'prj_combined';
    const tallies = new Tallies(service.database);
    for (let n = 0; n < 1_000; n++) {
      const experience = { id: `exp_${n % 5}`, projectId };
      tallies.count(
        n % 2 === 0 ? 'browser' : 'public',
        'ORIGIN_NOT_ALLOWED',
        experience,
        `https://${n % 49}.example`,
        0,
      );
    }
    await tallies.flush();
    const minutes = await query<{ named: number; others: number; sum: number }>(
      `SELECT count(*) FILTER (WHERE origin <> 'others')::integer AS named, count(*) FILTER (WHERE origin = 'others')::integer AS others,
              sum(count)::integer AS sum FROM tallies WHERE project_id = $1 GROUP BY minute`,
      [projectId],
    );
    for (const { named, others } of minutes) {
      expect(named).toBeLessThanOrEqual(50);
      expect(others).toBeLessThanOrEqual(2 * 5);
    }
    expect(minutes.reduce((total, { sum }) => total + sum, 0)).toBe(1_000);
  });
});

describe('refusals of many experiences', () => {
  const hourMs = 3_600_000;
  const rowsOf = (projectId: string) =>
    query<{ code: string; experience_id: string; origin: string; count: number }>(
      'SELECT code, experience_id, origin, count FROM tallies WHERE project_id = $1 ORDER BY count DESC',
      [projectId],
    );
  const totalOf = (rows: { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0);

  test('leave a bounded number of rows in a minute and exact sums; launches leave one for each endpoint and result', async () => {
    const projectId = 'prj_wide';
    const tallies = new Tallies(service.database);
    const minutes = new Set<number>();
    for (let n = 0; n < 3_000; n++) {
      const experience = { id: `exp_${n}`, projectId };
      minutes.add(Math.floor(Date.now() / 60_000));
      tallies.count('server', 'launched', experience, '', 1);
      tallies.count('server', 'EXPERIENCE_NOT_PUBLISHED', experience, '', 0);
      tallies.count('browser', 'ORIGIN_NOT_ALLOWED', experience, `https://${n}.example`, 0);
      if (n === 1_000) await tallies.flush();
    }
    minutes.add(Math.floor(Date.now() / 60_000));
    await tallies.flush();
    const rows = await rowsOf(projectId);
    expect(rows.length).toBeLessThanOrEqual(minutes.size * (1 + 50 + 200 + 2));
    expect(totalOf(rows)).toBe(9_000);
    expect(totalOf(rows.filter(({ code }) => code === 'launched'))).toBe(3_000);
    const unnamed = rows.filter(({ code, experience_id: id }) => code !== 'launched' && id === '');
    expect(new Set(unnamed.map(({ code, origin }) => `${code} ${origin}`))).toEqual(
      new Set(['EXPERIENCE_NOT_PUBLISHED ', 'ORIGIN_NOT_ALLOWED others']),
    );
  });

  test('leave the most frequent ones in the row of an hour, also with those of earlier versions', async () => {
    const projectId = 'prj_wide_hour';
    const from = Math.floor(Date.now() / hourMs - 50) * hourMs;
    await query(
      `INSERT INTO tallies
         SELECT $1, minute, 'server', code, 'exp_' || n, '', 1, minute
           FROM generate_series($2::timestamptz, $2::timestamptz + interval '4 minutes', '1 minute') minute,
                generate_series(1, 600) n, unnest(ARRAY['launched', 'EXPERIENCE_NOT_PUBLISHED']) code
         UNION ALL
         SELECT $1, $2::timestamptz + interval '50 minutes', 'server', 'EXPERIENCE_NOT_PUBLISHED', 'exp_frequent', '', 7, $2`,
      [projectId, new Date(from)],
    );
    await rollUpTallies(service.database, new Date(), 60_000);
    const rows = await rowsOf(projectId);
    expect(rows).toHaveLength(1 + 200 + 1);
    expect(totalOf(rows)).toBe(5 * 1_200 + 7);
    expect(rows.slice(0, 3)).toMatchObject([
      { code: 'launched', experience_id: '', count: 3_000 },
      { code: 'EXPERIENCE_NOT_PUBLISHED', experience_id: '' },
      { code: 'EXPERIENCE_NOT_PUBLISHED', experience_id: 'exp_frequent', count: 7 },
    ]);
  });

  test('beyond the bound are shown without an experience', async () => {
    const world = await createWorld(service);
    const { projectId } = world;
    const sent = (code: string, door: 'server' | 'browser', origin = '') =>
      query("INSERT INTO tallies VALUES ($1, date_trunc('minute', now()), $2, $3, '', $4, 5, now())", [
        projectId,
        door,
        code,
        origin,
      ]);
    await sent('EXPERIENCE_NOT_PUBLISHED', 'server');
    await sent('BROWSER_EMBEDS_DISABLED', 'browser', 'others');
    const { refusals, refused } = await overview(world);
    expect(refused).toBe(10);
    const byCode = new Map(refusals.map((one: { code: string }) => [one.code, one]));
    expect(byCode.get('EXPERIENCE_NOT_PUBLISHED')).toMatchObject({
      count: 5,
      hint: expect.stringMatching(/other experiences/),
    });
    expect(byCode.get('BROWSER_EMBEDS_DISABLED')).toMatchObject({
      origin: 'others',
      hint: expect.stringMatching(/switched on since/),
    });
    for (const refusal of refusals) expect(refusal).not.toHaveProperty('experienceId');
  });
});

describe('counters', () => {
  const one = { id: 'exp_one', projectId: 'prj_counted' };

  test('name 50 origins per minute and project, also across flushes, and count the rest as others', async () => {
    const tallies = new Tallies(service.database);
    for (let n = 0; n < 200; n++) {
      tallies.count('browser', 'ORIGIN_NOT_ALLOWED', one, `https://${n}.example`, 0);
      if (n === 30) await tallies.flush();
    }
    await tallies.flush();
    const rows = await stored(one.projectId);
    const named = rows.filter(({ origin }) => origin !== 'others');
    const minutes = await query('SELECT DISTINCT minute FROM tallies WHERE project_id = $1', [one.projectId]);
    expect(named.length).toBeGreaterThanOrEqual(50);
    expect(named.length).toBeLessThanOrEqual(50 * minutes.length);
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(200);
  });

  test('of two processes add up, also when both flush at once', async () => {
    const beside = await startService({}, service);
    onTestFinished(() => beside.close());
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    const mints = Array.from({ length: 20 }, (_, n) =>
      mintFromBrowser(n % 2 === 0 ? service : beside, body, { Origin: `https://${n % 5}.example` }),
    );
    await Promise.all(mints);
    await Promise.all([service.tallies.flush(), beside.tallies.flush()]);
    expect(await overview(world)).toMatchObject({ mints: 0, refused: 20 });
  });

  test('of many processes that flush the same rows in any order neither deadlock nor get lost', async () => {
    const projectId = 'prj_many';
    const names = Array.from({ length: 40 }, (_, n) => `https://${n}.example`);
    const flushes = Array.from({ length: 8 }, async (_, p) => {
      const tallies = new Tallies(service.database);
      for (let round = 0; round < 5; round++) {
        for (const origin of p % 2 === 0 ? names : [...names].reverse())
          tallies.count('public', 'ORIGIN_NOT_ALLOWED', { id: 'exp_x', projectId }, origin, 0);
        await tallies.flush();
      }
    });
    await Promise.all(flushes);
    expect((await stored(projectId)).reduce((sum, { count }) => sum + count, 0)).toBe(8 * 5 * 40);
  });

  /** The database of the service, which cannot be reached while `isDown` returns true. */
  function withOutages(isDown: () => boolean): typeof service.database {
    const outage = Object.assign(new Error('lost'), { code: 'ECONNREFUSED' });
    return Object.create(service.database, {
      query: {
        value: (...call: Parameters<typeof service.database.query>) =>
          isDown() ? Promise.reject(outage) : service.database.query(...call),
      },
    });
  }

  test('are added once, also if an outage begins in the middle of a flush', async () => {
    let [queries, failsAt] = [0, 3];
    const tallies = new Tallies(withOutages(() => ++queries === failsAt));
    for (let n = 0; n < 4_000; n++)
      tallies.count('server', 'UNAVAILABLE', { id: `exp_${n}`, projectId: `prj_half_${n % 39}` }, '', 0);
    for (let n = 0; n < 500; n++)
      tallies.count('server', 'launched', { id: 'exp_0', projectId: `prj_half_${n % 39}` }, '', 1);
    // The third of five batches of counters; then, after the other three, the second of three batches of durations.
    await expect(tallies.flush()).rejects.toThrow('lost');
    [queries, failsAt] = [0, 5];
    await expect(tallies.flush()).rejects.toThrow('lost');
    await tallies.flush();
    for (const [table, sum] of Object.entries({ tallies: 4_500, mint_durations: 500 }))
      expect(
        await query(`SELECT sum(count)::integer AS sum FROM ${table} WHERE project_id LIKE 'prj\\_half%'`),
        table,
      ).toEqual([{ sum }]);
  });

  test('survive an outage, within a limit', async () => {
    let isDown = true;
    const database = withOutages(() => isDown);
    const tallies = new Tallies(database);
    const counted = { id: 'exp_one', projectId: 'prj_down_0' };
    tallies.count('server', 'UNAVAILABLE', counted, '', 0);
    await expect(tallies.flush()).rejects.toThrow('lost');
    for (let n = 0; n < 30_000; n++)
      tallies.count('server', 'UNAVAILABLE', { id: `exp_${n}`, projectId: `prj_down_${n % 200}` }, '', 0);
    isDown = false;
    await tallies.flush();
    const [total] = await query(
      "SELECT sum(count)::integer AS sum FROM tallies WHERE project_id LIKE 'prj\\_down\\_%'",
    );
    expect(total).toEqual({ sum: 20_000 });
  });

  test('are written when the service stops', async () => {
    const beside = await startService({}, service);
    const world = await createWorld(service);
    await mintFromServer(beside, world.key, { experienceId: world.experienceId });
    await beside.close();
    expect((await overview(world)).mints).toBe(1);
  });

  test('are deleted after eight days', async () => {
    for (const [n, days] of [7.9, 8.1, 30].entries()) {
      await query(
        `INSERT INTO tallies SELECT 'prj_old', date_trunc('minute', now() - $1::float8 * interval '1 day'), 'server', 'launched', 'exp_' || i, '', 1, now()
           FROM generate_series(1, $2::int) i`,
        [days, n === 2 ? 2_500 : 1],
      );
      await query(
        `INSERT INTO mint_durations SELECT 'prj_old', date_trunc('minute', now() - $1::float8 * interval '1 day'), 3, 1`,
        [days],
      );
    }
    await deleteOldTallies(service.database, 60_000);
    for (const table of ['tallies', 'mint_durations'])
      expect(await query(`SELECT FROM ${table} WHERE project_id = 'prj_old'`)).toHaveLength(1);
  });
});
