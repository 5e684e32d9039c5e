import { deployedService } from '@session-launch/testing/deployment.ts';
import {
  createWorld,
  expectError,
  mintFromBrowser,
  pageOrigin,
  uniqueId,
  type World,
} from '@session-launch/testing/world.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  browserEndpoint,
  type Loose,
  mintAt,
  openWorld,
  type PageEndpoint,
  publicEndpoint,
} from './mint-endpoints.ts';
import { nearMisses } from './origins.ts';

const service = deployedService();

const check = (body: unknown) => service.admin({ method: 'POST', path: '/admin/origins/check', body });

async function checked(body: Loose): Promise<Loose> {
  const answer = await check(body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

const failed = (endpoint: Loose): string[] =>
  endpoint.checks.filter(({ ok }: Loose) => !ok).map((one: Loose) => one.check);

/** Allowlist entries and origins around one host, so that no other project lists them. */
const entriesOf = (host: string) => [`https://${host}`, `https://*.${host}`, `https://${host}:8443`];
const originsOf = (host: string) => [
  ...[`https://${host}`, `https://${host}:8443`, `https://shop.${host}`, `https://a.b.${host}`],
  ...[`http://${host}`, `https://www.${host}`, `https://${host}:444`, `https://shop.${host}:8443`],
  ...[
    `https://${host}/`,
    `HTTPS://${host.toUpperCase()}/page?a#b`,
    `https://${host}:443`,
    ` https://${host} `,
  ],
  ...[`https://user@${host}`, `https://${host}.`, `https://${host}.evil.example.org`],
  ...[host, `//${host}`, `ftp://${host}`, `https://*.${host}`, 'null', '*', 'https://', 'https://[', ''],
];

/** The error code that the failed checks predict, in the order in which a mint checks; `undefined` for a launch. */
function predicted(endpoint: Loose, status: string, origin: string): string | undefined {
  const wrong = failed(endpoint);
  if (origin === '') return 'ORIGIN_REQUIRED';
  if (status === 'archived' || wrong.includes('experience-public')) return 'EXPERIENCE_NOT_FOUND';
  if (wrong.includes('embeds-on')) return 'BROWSER_EMBEDS_DISABLED';
  if (wrong.includes('origin-listed')) return 'ORIGIN_NOT_ALLOWED';
  return wrong.includes('experience-published') ? 'EXPERIENCE_NOT_PUBLISHED' : undefined;
}

async function mintedCode(endpoint: PageEndpoint, world: World, origin: string): Promise<string | undefined> {
  const answer = await mintAt(
    service,
    endpoint,
    world,
    { experienceId: world.experienceId },
    { Origin: origin },
  );
  return answer.status < 400 ? undefined : answer.json.error.code;
}

async function isReadable(endpoint: PageEndpoint, origin: string): Promise<boolean> {
  const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
  const answer = await service.call({ method: 'OPTIONS', path: endpoint.path, headers });
  expect(answer.status).toBe(204);
  return answer.headers['access-control-allow-origin'] === origin;
}

const settings = fc.record({
  browserEmbeds: fc.constantFrom(true, true, true, false),
  isPublic: fc.constantFrom(true, true, false),
  status: fc.constantFrom('published', 'published', 'published', 'draft', 'archived'),
  ofProject: fc.subarray([0, 1, 2]),
  ofExperience: fc.subarray([0, 1, 2]),
});

test('equals 100 generated mints and preflights at both routes', async () => {
  const rounds = 10;
  const perRound = 10;
  const seen = new Set<string | undefined>();
  const chosen = fc.sample(settings, { numRuns: rounds, seed: 26 });
  const places = fc.sample(fc.nat(originsOf('').length - 1), { numRuns: rounds * perRound, seed: 26 });
  for (const [i, { browserEmbeds, isPublic, status, ofProject, ofExperience }] of chosen.entries()) {
    const host = `www.${uniqueId('h').replace('_', '')}.example`;
    const pick = (which: number[]) => which.map((n) => entriesOf(host)[n]!);
    const world = await openWorld(service, {
      project: { browserEmbeds, allowedOrigins: pick(ofProject) },
      experience: { public: isPublic, status, allowedOrigins: pick(ofExperience) },
    });
    const { projectId, experienceId } = world;
    for (const place of places.slice(i * perRound, (i + 1) * perRound)) {
      const text = originsOf(host)[place]!;
      const { normalised, problem, doors } = await checked({ projectId, experienceId, origin: text });
      const origin = normalised ?? text;
      if (normalised === undefined) expect(problem, text).toMatch(/^\S.*\.$/);
      for (const endpoint of [browserEndpoint, publicEndpoint] as const) {
        const found = doors[endpoint === browserEndpoint ? 'browser' : 'public'];
        const code = await mintedCode(endpoint, world, origin);
        seen.add(code);
        const where = `${endpoint.path} ${text} ${JSON.stringify(found)}`;
        expect(found.allowed, where).toBe(code === undefined);
        expect(predicted(found, status, origin), where).toBe(code);
        expect(found.now?.code, where).toBe(normalised === undefined ? undefined : code);
        expect(found.now?.available, where).toBe(normalised === undefined ? undefined : code === undefined);
        const wrong = failed(found);
        expect(await isReadable(endpoint, origin), where).toBe(
          !wrong.includes('origin-valid') &&
            (endpoint === browserEndpoint || !wrong.includes('origin-listed')),
        );
      }
    }
  }
  const codes = ['EXPERIENCE_NOT_FOUND', 'BROWSER_EMBEDS_DISABLED', 'ORIGIN_NOT_ALLOWED'];
  expect([...seen]).toEqual(expect.arrayContaining([undefined, 'EXPERIENCE_NOT_PUBLISHED', ...codes]));
});

test('every check has a sentence for people', async () => {
  const world = await createWorld(service);
  const { projectId, experienceId } = world;
  const { normalised, problem, doors } = await checked({
    projectId,
    experienceId,
    origin: 'https://App.example.com/shop',
  });
  expect({ normalised, problem }).toEqual({ normalised: 'https://app.example.com', problem: undefined });
  expect(doors.browser).toEqual({
    allowed: true,
    checks: [
      { check: 'origin-valid', ok: true, why: 'Browsers send this as https://app.example.com.' },
      { check: 'embeds-on', ok: true, why: 'Browser embeds are switched on for the project.' },
      { check: 'origin-listed', ok: true, why: 'It is on the allowlist of the project.' },
      { check: 'experience-published', ok: true, why: 'The experience is published.' },
    ],
    now: { available: true },
  });
  expect(doors.public.allowed).toBe(false);
  expect(failed(doors.public)).toEqual(['experience-public', 'origin-listed']);
});

test('without an experience, only the project is checked', async () => {
  const { projectId } = await createWorld(service);
  const { doors } = await checked({ projectId, origin: 'https://app.example.com' });
  expect(doors.browser.allowed).toBe(true);
  expect(doors.browser).not.toHaveProperty('now');
  expect(doors.public.allowed).toBe(false);
  expect(failed(doors.public)).toEqual(['experience-public']);
});

test('the availability of an allowed page includes the limits of the project', async () => {
  const { projectId, experienceId } = await createWorld(service, {
    project: { limits: { mintsPerMinutePerClient: 1, mintsPerMinute: null, sessionsPerDay: 1 } },
  });
  const ask = async () => {
    const { doors } = await checked({ projectId, experienceId, origin: pageOrigin });
    expect(doors.browser.allowed).toBe(true);
    return doors.browser.now;
  };
  // Checks count nothing.
  expect([await ask(), await ask()]).toEqual([{ available: true }, { available: true }]);
  expect((await mintFromBrowser(service, { experienceId })).status).toBe(201);
  expect(await ask()).toMatchObject({ available: false, code: 'QUOTA_EXCEEDED' });
});

test('an origin that cannot be on an allowlist has a problem', async () => {
  const { projectId } = await createWorld(service);
  const { normalised, problem } = await checked({ projectId, origin: 'http://shop.example.com' });
  expect(normalised).toBe('http://shop.example.com');
  expect(problem).toMatch(/uses http/);
});

describe('names what a listed origin differs in', () => {
  test.each(nearMisses)('%s', async (_name, allowedOrigins, origin, words) => {
    const { projectId, experienceId } = await openWorld(service, {
      project: { allowedOrigins },
      experience: { allowedOrigins },
    });
    const { doors } = await checked({ projectId, experienceId, origin });
    for (const { checks } of Object.values(doors) as Loose[])
      expect(checks.find((one: Loose) => one.check === 'origin-listed').why).toMatch(words);
  });
});

test('refuses unknown projects and experiences, and experiences of other projects', async () => {
  const [world, other] = [await createWorld(service), await createWorld(service)];
  const origin = 'https://app.example.com';
  expectError(await check({ projectId: 'prj_nobody', origin }), 404, 'PROJECT_NOT_FOUND');
  for (const experienceId of ['exp_nobody', other.experienceId, `exp_${'x'.repeat(65)}`]) {
    const answer = await check({ projectId: world.projectId, experienceId, origin });
    expectError(answer, 404, 'EXPERIENCE_NOT_FOUND');
  }
  for (const body of [{ origin }, { projectId: world.projectId }, { projectId: 'x', origin }, [], null])
    expectError(await check(body), 400, 'INVALID_REQUEST');
});
