import { deployedService } from '@session-launch/testing/deployment.ts';
import { apply, expectError, runtime, type World } from '@session-launch/testing/world.ts';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  browserEndpoint,
  type Endpoint,
  type Loose,
  mintAt,
  openWorld,
  publicEndpoint,
  serverEndpoint,
} from './mint-endpoints.ts';

const service = deployedService();
const endpointsByName: Record<string, Endpoint> = {
  server: serverEndpoint,
  browser: browserEndpoint,
  public: publicEndpoint,
};

const simulate = (experienceId: string, body: unknown) =>
  service.admin({ method: 'POST', path: `/admin/experiences/${experienceId}/simulate`, body });

async function results(experienceId: string, body: Loose): Promise<Loose[]> {
  const answer = await simulate(experienceId, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.results;
}

const valid = ['en', 'EN-us', 'pt-BR', 'zh-hant-tw', 'iw', 'es-MX', 'ja', 'de-CH-1996'];
const invalid = ['en_US', '', 'und', 'x', 'e', 'a'.repeat(70), 'français', '*'];
const tag = fc.constantFrom(...valid, ...valid, ...valid, ...invalid);
const axis = fc.oneof(
  fc.constant('match' as const),
  fc.constantFrom(...valid).map((one) => ({ fixed: one })),
);
const languages = fc.record({
  dual: fc.boolean(),
  default: fc.constantFrom(...valid),
  conversation: axis,
  paired: axis,
});
const header = fc.oneof(
  fc
    .array(
      fc.tuple(
        fc.constantFrom(...valid, 'en_US', '*', 'x'),
        fc.constantFrom('', ';q=0.5', ';q=0', '; q=0.9', ';q=2'),
      ),
    )
    .map((parts) => parts.map(([one, weight]) => one + weight).join(', ')),
  fc.constantFrom('', ';;;', 'q=1'),
);
const oneCase = fc.record(
  {
    door: fc.constantFrom('server', 'browser', 'public'),
    locale: tag,
    secondaryLocale: tag,
    learningLocale: tag,
    language: fc.constantFrom('en', 'es', 'es', 'fr'),
    acceptLanguage: header,
  },
  { requiredKeys: ['door'] },
);

/** What a mint with these fields gets, in the form of a simulated result. */
async function minted(world: World, { door: endpoint, acceptLanguage, ...fields }: Loose): Promise<Loose> {
  const body = { experienceId: world.experienceId, ...fields };
  const headers = acceptLanguage === undefined ? {} : { 'Accept-Language': acceptLanguage };
  const { status, json } = await mintAt(service, endpointsByName[endpoint]!, world, body, headers as never);
  if (status >= 400) return { error: { code: json.error.code, message: json.error.message } };
  const { locale, secondaryLocale } = json.launch ?? json;
  return { locale, ...(secondaryLocale === undefined ? {} : { secondaryLocale }) };
}

test('equals 200 generated mints, by revision and by languages, and each reason names the result', async () => {
  const rounds = 10;
  const perRound = 20;
  const world = await openWorld(service);
  const settings = fc.sample(languages, { numRuns: rounds, seed: 26 });
  const cases = fc.sample(oneCase, { numRuns: rounds * perRound, seed: 26 });
  const seen = new Set<string>();
  for (const [i, chosen] of settings.entries()) {
    Object.assign(world.file.experiences[0]!, { runtime: runtime({ languages: chosen }) });
    expect((await apply(service, world.file)).status).toBe(200);
    const some = cases.slice(i * perRound, (i + 1) * perRound);
    const simulated = await results(world.experienceId, { cases: some });
    expect(await results(world.experienceId, { languages: chosen, cases: some })).toEqual(simulated);
    const real = await Promise.all(some.map((one) => minted(world, one)));
    expect(simulated.map(({ because: _why, ...result }) => result)).toEqual(real);
    for (const { because, locale, secondaryLocale, error } of simulated) {
      seen.add(error?.code ?? (secondaryLocale === undefined ? 'single' : 'dual'));
      if (error !== undefined) continue;
      expect(because).toMatch(/^[A-Z].*\.$/);
      expect(because).toContain(locale);
      if (secondaryLocale !== undefined) expect(because).toContain(secondaryLocale);
    }
  }
  const expected = ['single', 'dual', 'INVALID_REQUEST', 'LOCALE_CONFLICT', 'SECONDARY_LOCALE_REQUIRED'];
  expect([...seen].sort()).toEqual(expected.sort());
});

describe('with one experience', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(service, {
      experience: { runtime: runtime({ languages: { conversation: { fixed: 'ja' } } }) },
    });
    Object.assign(world.file.experiences[0]!, { runtime: runtime({ languages: { default: 'de' } }) });
    expect((await apply(service, world.file)).status).toBe(200);
  });

  test('uses the newest revision, a named one or the given languages', async () => {
    const cases = [{ door: 'server' }];
    const why = async (body: Loose) => results(world.experienceId, { cases, ...body });
    expect(await why({})).toEqual([
      { locale: 'de', because: 'The request names no language, so the default applies: de.' },
    ]);
    expect(await why({ revision: 1 })).toEqual([{ locale: 'ja', because: 'Fixed to ja.' }]);
    expect(await why({ languages: {} })).toEqual([
      { locale: 'en', because: 'The request names no language, so the default applies: en.' },
    ]);
    expect(await why({ languages: { dual: true, paired: { fixed: 'PT-pt' } } })).toEqual([
      {
        locale: 'en',
        secondaryLocale: 'pt-PT',
        because:
          'Conversation: The request names no language, so the default applies: en. Paired: Fixed to pt-PT.',
      },
    ]);
  });

  test.each<[Loose, string]>([
    [{ door: 'server', locale: 'pt-br' }, 'The request asked for pt-BR and the axis is Match.'],
    [{ door: 'browser', language: 'es' }, 'The request selected language es and the axis is Match.'],
    [
      { door: 'public', acceptLanguage: 'fr-CA,en;q=0.5' },
      'The browser prefers fr-CA and the axis is Match.',
    ],
    [{ door: 'server', acceptLanguage: 'fr' }, 'The request names no language, so the default applies: de.'],
    [
      { door: 'server', learningLocale: 'it' },
      'The request asked for it in secondaryLocale and the axis is Match.',
    ],
  ])('%j: %s', async (one, because) => {
    expect((await results(world.experienceId, { cases: [one] }))[0]).toMatchObject({ because });
  });

  test('creates no session', async () => {
    await results(world.experienceId, { cases: [{ door: 'server' }] });
    const path = `/admin/projects/${world.projectId}/sessions`;
    expect((await service.admin({ path })).json.sessions).toEqual([]);
  });

  test.each<[string, Loose, string]>([
    ['no cases', {}, 'cases'],
    ['201 cases', { cases: Array(201).fill({ door: 'server' }) }, 'cases'],
    ['a case without an endpoint', { cases: [{}] }, 'cases[0].door'],
    ['an unknown endpoint', { cases: [{ door: 'back' }] }, 'cases[0].door'],
    ['an unknown field', { cases: [{ door: 'server', origin: 'x' }] }, 'cases[0].origin'],
    ['revision and languages', { revision: 1, languages: {}, cases: [] }, 'languages'],
    ['an ill-formed default', { languages: { default: 'en_US' }, cases: [] }, 'languages.default'],
    ['an unknown axis', { languages: { paired: 'fixed' }, cases: [] }, 'languages.paired'],
  ])('refuses %s', async (_, body, path) => {
    const answer = await simulate(world.experienceId, body);
    expectError(answer, 400, 'INVALID_REQUEST');
    expect(answer.json.error.details.map((d: Loose) => d.path)).toContain(path);
  });

  test('refuses an ill-formed Fixed language', async () => {
    const languages = { conversation: { fixed: 'en_US' } };
    expectError(await simulate(world.experienceId, { languages, cases: [] }), 400, 'INVALID_REQUEST');
  });

  test('unknown experiences and revisions', async () => {
    expectError(await simulate('exp_nobody', { cases: [] }), 404, 'EXPERIENCE_NOT_FOUND');
    expectError(await simulate(world.experienceId, { revision: 9, cases: [] }), 404, 'REVISION_NOT_FOUND');
  });
});
