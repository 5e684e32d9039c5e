import { deployedService } from '@session-launch/testing/deployment.ts';
import { expectError, runtime } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import {
  browserEndpoint,
  type Endpoint,
  endpoints,
  type Launched,
  type Loose,
  launch,
  mintAt,
  publicEndpoint,
  recordOf,
  serverEndpoint,
  sharedWorld,
} from './mint-endpoints.ts';

const service = deployedService();
const fixed = (tag: string) => ({ fixed: tag });

/** A project whose experience has these languages; omitted settings have their defaults. */
const speaking = (languages: Loose) =>
  sharedWorld(service, { experience: { runtime: runtime({ languages }) } });

async function mint(
  endpoint: Endpoint,
  languages: Loose,
  body: Loose = {},
  headers: Record<string, string> = {},
) {
  const world = await speaking(languages);
  const launched = await launch(service, endpoint, world, body, headers);
  return { launched, record: await recordOf(service, world, launched) };
}

/** The languages of a launch, which must be equal in session, manifest and record. */
function spoken({ launched, record }: { launched: Launched; record: Loose }): Loose {
  const of = ({ locale, secondaryLocale }: Loose) => ({ locale, secondaryLocale });
  expect(of(launched.manifest)).toEqual(of(record));
  if (launched.session) expect(of(launched.session)).toEqual(of(record));
  return JSON.parse(JSON.stringify(of(record)));
}

describe.each(endpoints.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (_path, endpoint) => {
  describe('not dual', () => {
    test.each<[string, Loose, Loose, string]>([
      ['nothing sent: the default of the experience', { default: 'pt-PT' }, {}, 'pt-PT'],
      ['nothing sent and no default: en', {}, {}, 'en'],
      ['language before the default', { default: 'pt-PT' }, { language: 'es' }, 'es'],
      ['locale before language', {}, { locale: 'fr-CA', language: 'es' }, 'fr-CA'],
      [
        'secondaryLocale sets the conversation and overrides locale',
        {},
        { secondaryLocale: 'pt-PT', locale: 'fr' },
        'pt-PT',
      ],
      ['learningLocale does the same', {}, { learningLocale: 'pt-PT', locale: 'fr' }, 'pt-PT'],
      [
        'Fixed overrides everything that is sent',
        { conversation: fixed('de') },
        { secondaryLocale: 'pt-PT', locale: 'fr', language: 'es' },
        'de',
      ],
      ['tags are canonical', {}, { locale: 'ZH-hant-tw' }, 'zh-Hant-TW'],
      ['outdated tags are replaced', {}, { secondaryLocale: 'iw' }, 'he'],
    ])('%s', async (_name, languages, body, locale) => {
      expect(spoken(await mint(endpoint, languages, body))).toEqual({ locale });
    });
  });

  describe('dual', () => {
    test.each<[string, Loose, Loose, Loose]>([
      [
        'Match uses secondaryLocale and returns it in canonical form',
        { dual: true, paired: 'match' },
        { secondaryLocale: 'ES-mx' },
        { locale: 'en', secondaryLocale: 'es-MX' },
      ],
      [
        'Match uses learningLocale',
        { dual: true, paired: 'match' },
        { learningLocale: 'iw', locale: 'fr' },
        { locale: 'fr', secondaryLocale: 'he' },
      ],
      [
        'both names may be sent when they agree in canonical form',
        { dual: true, paired: 'match' },
        { secondaryLocale: 'es-MX', learningLocale: 'ES-mx' },
        { locale: 'en', secondaryLocale: 'es-MX' },
      ],
      [
        'Fixed is returned although nothing was sent',
        { dual: true, paired: fixed('pt-PT') },
        {},
        { locale: 'en', secondaryLocale: 'pt-PT' },
      ],
      [
        'Fixed overrides secondaryLocale',
        { dual: true, paired: fixed('pt-PT') },
        { secondaryLocale: 'es' },
        { locale: 'en', secondaryLocale: 'pt-PT' },
      ],
      [
        'secondaryLocale does not change the conversation',
        { dual: true, default: 'de', paired: 'match' },
        { secondaryLocale: 'es' },
        { locale: 'de', secondaryLocale: 'es' },
      ],
      [
        'a Fixed conversation overrides locale and language',
        { dual: true, conversation: fixed('ja'), paired: 'match' },
        { secondaryLocale: 'es', locale: 'fr', language: 'en' },
        { locale: 'ja', secondaryLocale: 'es' },
      ],
      [
        'language is used without a locale',
        { dual: true, paired: fixed('pt-PT') },
        { language: 'es' },
        { locale: 'es', secondaryLocale: 'pt-PT' },
      ],
    ])('%s', async (_name, languages, body, expected) => {
      expect(spoken(await mint(endpoint, languages, body))).toEqual(expected);
    });

    test('SECONDARY_LOCALE_REQUIRED when the paired axis is Match and none is sent', async () => {
      const world = await speaking({ dual: true, paired: 'match' });
      const body = { experienceId: world.experienceId, locale: 'fr', language: 'es' };
      const answer = await mintAt(service, endpoint, world, body, { 'Accept-Language': 'pt' });
      expectError(answer, 400, 'SECONDARY_LOCALE_REQUIRED');
      expect(answer.headers['cache-control']).toBe('no-store, private');
    });
  });

  test.each<[string, Loose]>([
    ['a Match axis', {}],
    ['a Fixed conversation', { conversation: fixed('de') }],
    ['a Fixed paired axis', { dual: true, paired: fixed('pt-PT') }],
    ['two Fixed axes', { dual: true, conversation: fixed('de'), paired: fixed('pt-PT') }],
  ])('LOCALE_CONFLICT with %s', async (_name, languages) => {
    const world = await speaking(languages);
    const body = { experienceId: world.experienceId, secondaryLocale: 'es', learningLocale: 'es-MX' };
    expectError(await mintAt(service, endpoint, world, body), 400, 'LOCALE_CONFLICT');
  });

  test('an ill-formed tag is refused even where a Fixed axis would ignore it', async () => {
    const world = await speaking({ conversation: fixed('de') });
    const body = { experienceId: world.experienceId, secondaryLocale: 'en_US' };
    expectError(await mintAt(service, endpoint, world, body), 400, 'INVALID_REQUEST');
  });
});

describe('Accept-Language', () => {
  test.each<[string, Loose, Loose, string, string]>([
    ['is used when nothing else is set', { default: 'de' }, {}, 'fr-CA,fr;q=0.8', 'fr-CA'],
    ['the highest weight wins', {}, {}, 'en;q=0.5,pt-pt;q=0.9,fr;q=0.8', 'pt-PT'],
    ['of equal weights the first wins', {}, {}, 'es;q=0.7,fr;q=0.7', 'es'],
    ['ill-formed parts are skipped', {}, {}, 'en_US, *, ;q=1, x;q=2, fr;q=0.3', 'fr'],
    ['without a usable tag: the default', { default: 'de' }, {}, '*, en_US;q=1, ,;', 'de'],
    ['a weight of zero excludes a tag', { default: 'de' }, {}, 'fr;q=0', 'de'],
    ['language takes precedence', {}, { language: 'es' }, 'fr', 'es'],
    ['locale takes precedence', {}, { locale: 'ja' }, 'fr', 'ja'],
    ['secondaryLocale takes precedence', {}, { secondaryLocale: 'ja' }, 'fr', 'ja'],
    ['Fixed takes precedence', { conversation: fixed('de') }, {}, 'fr', 'de'],
  ])('%s', async (_name, languages, body, header, locale) => {
    for (const endpoint of [browserEndpoint, publicEndpoint]) {
      const minted = await mint(endpoint, languages, body, { 'Accept-Language': header });
      expect(spoken(minted), endpoint.path).toEqual({ locale });
    }
  });

  test('decides the conversation locale of a dual session', async () => {
    for (const endpoint of [browserEndpoint, publicEndpoint]) {
      const headers = { 'Accept-Language': 'fr' };
      const minted = await mint(endpoint, { dual: true, paired: fixed('pt-PT') }, {}, headers);
      expect(spoken(minted)).toEqual({ locale: 'fr', secondaryLocale: 'pt-PT' });
    }
  });

  test('is ignored when a server mints', async () => {
    const minted = await mint(serverEndpoint, { default: 'de' }, {}, { 'Accept-Language': 'fr' });
    expect(spoken(minted)).toEqual({ locale: 'de' });
  });

  test('never causes an error, for any value', async () => {
    const world = await sharedWorld(service);
    for (const header of ['', ',', ';;;', 'a'.repeat(8_000), 'en,'.repeat(2_000), 'é', 'q=1', 'en;q=é']) {
      await launch(service, browserEndpoint, world, {}, { 'Accept-Language': header });
    }
  });
});
