import { deployedService } from '@session-launch/testing/deployment.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import {
  apply,
  createWorld,
  expectError,
  mintFromServer,
  runtime,
  sessionsOf,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';

const service = deployedService();

// biome-ignore lint/suspicious/noExplicitAny: tests write and read bodies freely
type Loose = Record<string, any>;

const create = (experienceId: string, wish: unknown = {}) =>
  service.admin({ method: 'POST', path: `/admin/experiences/${experienceId}/previews`, body: wish });
const list = async (experienceId: string): Promise<Loose[]> => {
  const answer = await service.admin({ path: `/admin/experiences/${experienceId}/previews` });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.previews;
};
const remove = (previewId: string) =>
  service.admin({ method: 'DELETE', path: `/admin/previews/${previewId}` });
const exchange = (body: unknown, headers: Record<string, string> = {}) =>
  service.call({ method: 'POST', path: '/preview-sessions', body, headers });

async function created(experienceId: string, wish: Loose = {}): Promise<Loose & { code: string }> {
  const answer = await create(experienceId, wish);
  expect(answer.status, answer.text).toBe(201);
  return { ...answer.json, code: codeOf(answer) };
}

function codeOf({ json }: Answer): string {
  const [address, code] = json.url.split('#');
  expect(new URL(address).pathname.endsWith('/preview/')).toBe(true);
  return code;
}

/** Applies the file again with another title, which makes a revision. */
async function revise(world: World, changes: Loose): Promise<void> {
  Object.assign(world.file.experiences[0]!, changes);
  expect((await apply(service, world.file)).status).toBe(200);
}

describe('creating', () => {
  test('returns the link once; the list has everything but the code', async () => {
    const { experienceId } = await createWorld(service);
    const wish = { expiresInSeconds: 60, maxSessions: 3, locale: 'PT-br', secondaryLocale: 'es' };
    const before = Date.now();
    const { previewId, url, expiresAt, code } = await created(experienceId, wish);
    expect(previewId).toMatch(/^pvw_[a-z0-9]{26}$/);
    expect(code).toMatch(/^[A-Za-z0-9_-]{22,}$/);
    expect(url.startsWith('http')).toBe(true);
    expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(before + 59_000);
    const previews = await list(experienceId);
    expect(previews).toEqual([
      {
        previewId,
        revision: 1,
        createdAt: expect.any(String),
        createdBy: 'bootstrap',
        expiresAt,
        maxSessions: 3,
        sessions: 0,
        locale: 'pt-BR',
        secondaryLocale: 'es',
      },
    ]);
    expect(JSON.stringify(previews)).not.toContain(code);
  });

  test('by default the link is for the newest revision, an hour and 50 sessions', async () => {
    const world = await createWorld(service);
    await revise(world, { title: 'Second' });
    const { previewId, expiresAt } = await created(world.experienceId);
    const [preview] = await list(world.experienceId);
    expect(preview).toMatchObject({ previewId, revision: 2, maxSessions: 50, sessions: 0 });
    expect(Date.parse(expiresAt) - Date.parse(preview!.createdAt)).toBe(3_600_000);
    expect(preview).not.toHaveProperty('locale');
  });

  test('newest first, of this experience only', async () => {
    const [one, other] = [await createWorld(service), await createWorld(service)];
    const first = await created(one.experienceId);
    const second = await created(one.experienceId);
    await created(other.experienceId);
    const ids = (await list(one.experienceId)).map(({ previewId }) => previewId);
    expect(ids).toEqual([second.previewId, first.previewId]);
  });

  describe('refuses', () => {
    let experienceId: string;
    beforeAll(async () => {
      ({ experienceId } = await createWorld(service));
    });

    test.each<[string, unknown, string]>([
      ['59 seconds', { expiresInSeconds: 59 }, 'expiresInSeconds'],
      ['more than a week', { expiresInSeconds: 604_801 }, 'expiresInSeconds'],
      ['half a second', { expiresInSeconds: 60.5 }, 'expiresInSeconds'],
      ['no sessions', { maxSessions: 0 }, 'maxSessions'],
      ['text as a number', { maxSessions: '5' }, 'maxSessions'],
      ['revision 0', { revision: 0 }, 'revision'],
      ['a revision beyond integers', { revision: 2 ** 31 }, 'revision'],
      ['an ill-formed locale', { locale: 'en_US' }, 'locale'],
      ['an ill-formed secondaryLocale', { secondaryLocale: '' }, 'secondaryLocale'],
      ['an unknown field', { code: 'mine' }, 'code'],
      ['a list', [], ''],
    ])('%s', async (_, wish, path) => {
      const answer = await create(experienceId, wish);
      expectError(answer, 400, 'INVALID_REQUEST');
      expect(answer.json.error.details.map((d: Loose) => d.path)).toContain(path);
    });

    test('an unknown revision and unknown experiences', async () => {
      expectError(await create(experienceId, { revision: 7 }), 404, 'REVISION_NOT_FOUND');
      expectError(await create('exp_nobody'), 404, 'EXPERIENCE_NOT_FOUND');
      expectError(await create(`exp_${'x'.repeat(65)}`), 404, 'EXPERIENCE_NOT_FOUND');
      expectError(await create('nobody'), 400, 'INVALID_REQUEST');
      const path = '/admin/experiences/exp_nobody/previews';
      expectError(await service.admin({ path }), 404, 'EXPERIENCE_NOT_FOUND');
    });
  });
});

describe('exchanging a code', () => {
  test('launches a voice-only session on request', async () => {
    const { experienceId } = await createWorld(service);
    const { code } = await created(experienceId);
    expect((await exchange({ code, speechOnly: true })).json).toMatchObject({
      session: { speechOnly: true },
      launch: { speechOnly: true },
    });
    expect((await exchange({ code })).json.session.speechOnly).toBe(false);
    expectError(await exchange({ code, speechOnly: 'yes' }), 400, 'INVALID_REQUEST');
  });

  test('launches exactly that revision of a draft, outside livemode, as a preview', async () => {
    const world = await createWorld(service, { experience: { status: 'draft', title: 'First' } });
    const { code } = await created(world.experienceId);
    await revise(world, { title: 'Second' });
    const answer = await exchange({ code });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.headers['cache-control']).toBe('no-store, private');
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    const { session, launch } = answer.json;
    expect(session).toMatchObject({ source: 'preview', livemode: false, revision: 1, status: 'created' });
    expect(launch).toMatchObject({
      sessionId: session.sessionId,
      livemode: false,
      experience: { experienceId: world.experienceId, title: 'First', revision: 1 },
    });
    expect(launch.sessionToken).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(await sessionsOf(service, world.projectId)).toEqual([session]);
    const path = `/admin/projects/${world.projectId}/sessions`;
    expect((await service.admin({ path: `${path}?source=preview` })).json.sessions).toEqual([session]);
    expect((await service.admin({ path: `${path}?source=browser` })).json.sessions).toEqual([]);
    expect((await list(world.experienceId))[0]).toMatchObject({ sessions: 1 });
  });

  test('an earlier revision stays available while a newer one is live', async () => {
    const world = await createWorld(service, { experience: { title: 'First' } });
    await revise(world, { title: 'Second' });
    const { code } = await created(world.experienceId, { revision: 1 });
    expect((await exchange({ code })).json.launch.experience).toMatchObject({ title: 'First', revision: 1 });
    const live = await mintFromServer(service, world.liveKey, { experienceId: world.experienceId });
    expect(live.json.launch.experience).toMatchObject({ title: 'Second', revision: 2 });
  });

  test('records the origin of the page and reads its languages', async () => {
    const world = await createWorld(service);
    const { code } = await created(world.experienceId);
    const headers = { Origin: 'https://launch.example.com', 'Accept-Language': 'fr-CA, en;q=0.5' };
    const { json } = await exchange({ code }, headers);
    expect(json.session).toMatchObject({ origin: 'https://launch.example.com', locale: 'fr-CA' });
    expect((await exchange({ code, locale: 'ja' }, headers)).json.session.locale).toBe('ja');
  });

  test('the languages of the link apply unless the page sends others', async () => {
    const languages = { dual: true, default: 'en', conversation: 'match', paired: 'match' };
    const world = await createWorld(service, { experience: { runtime: runtime({ languages }) } });
    const bare = await created(world.experienceId);
    expectError(await exchange({ code: bare.code }), 400, 'SECONDARY_LOCALE_REQUIRED');
    expect((await exchange({ code: bare.code, secondaryLocale: 'FR' })).json.session).toMatchObject({
      locale: 'en',
      secondaryLocale: 'fr',
    });
    const { code } = await created(world.experienceId, { locale: 'de', secondaryLocale: 'es-MX' });
    expect((await exchange({ code })).json.session).toMatchObject({ locale: 'de', secondaryLocale: 'es-MX' });
    expect((await exchange({ code, secondaryLocale: 'it' })).json.session).toMatchObject({
      locale: 'de',
      secondaryLocale: 'it',
    });
    // A refused request does not count.
    expect((await list(world.experienceId)).map(({ sessions }) => sessions)).toEqual([2, 1]);
  });

  test('the limits and switches of the project do not apply, and its quota does not count it', async () => {
    const limits = { mintsPerMinutePerClient: 0, mintsPerMinute: 0, sessionsPerDay: 0 };
    const world = await createWorld(service, {
      project: { browserEmbeds: false, allowedOrigins: [], limits },
    });
    const { code } = await created(world.experienceId);
    const answer = await exchange({ code }, { Origin: 'https://elsewhere.example.com' });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.headers).not.toHaveProperty('ratelimit');
  });

  test.each<[string, unknown, number, string]>([
    ['no code', {}, 400, 'INVALID_REQUEST'],
    ['an empty code', { code: '' }, 400, 'INVALID_REQUEST'],
    ['a number', { code: 7 }, 400, 'INVALID_REQUEST'],
    ['an ill-formed locale', { code: 'x', locale: 'en_US' }, 400, 'INVALID_REQUEST'],
    ['a list', [], 400, 'INVALID_REQUEST'],
    ['a body that is not JSON', '{', 400, 'INVALID_JSON'],
  ])('refuses %s', async (_, body, status, code) => {
    const headers = { 'Content-Type': 'application/json' };
    expectError(await exchange(body, headers), status, code);
  });

  test('other methods and media types are refused', async () => {
    const answer = await service.call({ path: '/preview-sessions' });
    expectError(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.allow).toBe('POST');
    expectError(await exchange('code=x', { 'Content-Type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });
});

describe('a link that does not work', () => {
  /** The whole response, without what differs in every response. */
  const bytes = ({ status, headers, text, json }: Answer) => {
    const { date: _date, 'x-request-id': requestId, ...others } = headers;
    expect(json.error.requestId).toBe(requestId);
    return { status, others, text: text.replace(requestId as string, 'req') };
  };

  test('unknown, withdrawn, used up and archived ones get the same response', async () => {
    const languages = { dual: true, default: 'en', conversation: 'match', paired: 'match' };
    const world = await createWorld(service, { experience: { runtime: runtime({ languages }) } });
    const unknown = await exchange({ code: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA' });
    expectError(unknown, 404, 'PREVIEW_NOT_FOUND');
    const expected = bytes(unknown);
    expect(bytes(await exchange({ code: 'not a code' }))).toEqual(expected);
    expect(bytes(await exchange({ code: 'x'.repeat(256) }))).toEqual(expected);

    const withdrawn = await created(world.experienceId);
    expect((await exchange({ code: withdrawn.code, secondaryLocale: 'es' })).status).toBe(201);
    expect((await remove(withdrawn.previewId)).status).toBe(204);
    expect(bytes(await exchange({ code: withdrawn.code, secondaryLocale: 'es' }))).toEqual(expected);

    const once = await created(world.experienceId, { maxSessions: 1 });
    expect((await exchange({ code: once.code, secondaryLocale: 'es' })).status).toBe(201);
    expect(bytes(await exchange({ code: once.code, secondaryLocale: 'es' }))).toEqual(expected);
    // Without secondaryLocale it would be 400 if the link were usable.
    expect(bytes(await exchange({ code: once.code }))).toEqual(expected);

    const archived = await created(world.experienceId);
    await revise(world, { status: 'archived' });
    expect(bytes(await exchange({ code: archived.code, secondaryLocale: 'es' }))).toEqual(expected);
  });

  test('deleting is for existing links, once', async () => {
    const { experienceId } = await createWorld(service);
    const { previewId } = await created(experienceId);
    const deleted = await remove(previewId);
    expect({ status: deleted.status, text: deleted.text }).toEqual({ status: 204, text: '' });
    expectError(await remove(previewId), 404, 'PREVIEW_NOT_FOUND');
    expectError(await remove(`pvw_${'x'.repeat(65)}`), 404, 'PREVIEW_NOT_FOUND');
    expectError(await remove('exp_x'), 400, 'INVALID_REQUEST');
    expect(await list(experienceId)).toEqual([]);
  });
});

/**
 * Exchanges a code several times at once, and repeats the exchanges that a busy machine answers with 503. Each of these may have launched a
 * session whose response was not sent; `lost` is their number.
 */
async function exchangeAtOnce(code: string, times: number) {
  const answers = await Promise.all(Array.from({ length: times }, () => exchange({ code })));
  let lost = 0;
  for (const [n] of answers.entries())
    while (answers[n]!.status === 503) {
      lost++;
      answers[n] = await exchange({ code });
    }
  const launched = answers.filter(({ status }) => status === 201);
  return { launched, refused: answers.filter(({ status }) => status !== 201), lost };
}

describe('limits of a link', () => {
  test('of 15 concurrent exchanges exactly maxSessions launch', async () => {
    const world = await createWorld(service);
    const { code } = await created(world.experienceId, { maxSessions: 7 });
    const { launched, refused, lost } = await exchangeAtOnce(code, 15);
    for (const answer of refused) expectError(answer, 404, 'PREVIEW_NOT_FOUND');
    const stored = (await sessionsOf(service, world.projectId)).map(({ sessionId }) => sessionId);
    expect(stored).toHaveLength(7);
    expect(stored).toEqual(expect.arrayContaining(launched.map(({ json }) => json.session.sessionId)));
    expect(launched.length).toBeGreaterThanOrEqual(7 - lost);
    expect((await list(world.experienceId))[0]).toMatchObject({ sessions: 7, maxSessions: 7 });
  });

  test('of 30 concurrent exchanges 20 launch, and the others can be retried in a minute', async () => {
    const world = await createWorld(service);
    const { code } = await created(world.experienceId);
    const { launched, refused, lost } = await exchangeAtOnce(code, 30);
    expect(launched.length).toBeGreaterThanOrEqual(20 - lost);
    for (const answer of refused) {
      expectError(answer, 429, 'RATE_LIMITED');
      const seconds = Number(answer.headers['retry-after']);
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(answer.json.error.details).toEqual({ policy: 'preview', limit: 20, retryAfterSeconds: seconds });
      expect(answer.headers['ratelimit-policy']).toBe('"preview";q=20;w=60');
    }
    expect((await list(world.experienceId))[0]).toMatchObject({ sessions: 20 });
    // Another link of the experience has limits of its own.
    const other = await created(world.experienceId);
    expect((await exchange({ code: other.code })).status).toBe(201);
  });
});
