import type { ErrorCode } from '@session-launch/contract/errors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/primitives/errors.ts';
import {
  agreedSecondary,
  bestAcceptedLanguage,
  canonicalLocale,
  type Languages,
  resolveLocales,
} from '../../src/primitives/locale.ts';
import { unicodeText } from '../harness/texts.ts';

describe('canonicalLocale', () => {
  it.each([
    ['en', 'en'],
    ['EN-us', 'en-US'],
    ['iw', 'he'],
    ['es-mx', 'es-MX'],
    ['ZH-hant-tw', 'zh-Hant-TW'],
    ['sr-latn-rs', 'sr-Latn-RS'],
    ['sh', 'sr-Latn'],
    ['cmn', 'zh'],
    ['de-1996', 'de-1996'],
    ['es-419', 'es-419'],
    ['en-x-pirate', 'en-x-pirate'],
    ['ar-u-nu-latn', 'ar-u-nu-latn'],
    ['yue', 'yue'],
  ])('makes %s %s', (tag, canonical) => {
    expect(canonicalLocale(tag)).toBe(canonical);
    expect(canonicalLocale(tag)).toBe(canonical);
  });

  it.each([
    '',
    ' ',
    ' en',
    'en ',
    'en\n',
    'en_US',
    'en-',
    '-en',
    'en--US',
    'e',
    'portuguese',
    'null',
    'root',
    'C',
    '*',
    'en-*',
    'en,es',
    'en;q=1',
    'x-pirate',
    'X-pirate',
    'und',
    'UND',
    'und-US',
    'und-Latn-US',
    'en-US-US',
    'de-1996-1996',
    'en-a',
    'é',
    '日本語',
    'en\u0000',
    '\u212aa',
    `en-x-${'a1234567-'.repeat(7)}a`,
  ])('refuses %j', (tag) => {
    expect(canonicalLocale(tag)).toBeUndefined();
    expect(canonicalLocale(tag)).toBeUndefined();
  });

  it('accepts 64 characters and no more', () => {
    const longest = `en-x-${'abcdefgh-'.repeat(6)}abcde`;
    expect(longest).toHaveLength(64);
    expect(canonicalLocale(longest)).toBe(longest);
    expect(canonicalLocale(`${longest}f`)).toBeUndefined();
    expect(canonicalLocale('a'.repeat(100_000))).toBeUndefined();
  });

  it('refuses a tag whose canonical form would be too long', () => {
    const tag = `sh-x-${'abcdefgh-'.repeat(6)}abcde`;
    expect(tag).toHaveLength(64);
    expect(canonicalLocale(tag)).toBeUndefined();
  });

  it('returns the same results beyond its cache size', () => {
    for (let i = 0; i < 2_500; i++) expect(canonicalLocale(`EN-x-${i}`)).toBe(`en-x-${i}`);
    expect(canonicalLocale('EN-us')).toBe('en-US');
    expect(canonicalLocale('en_US')).toBeUndefined();
  });

  it('returns a canonical tag unchanged', () => {
    fc.assert(
      fc.property(tags(), (tag) => {
        const canonical = canonicalLocale(tag);
        fc.pre(canonical !== undefined);
        expect(canonicalLocale(canonical)).toBe(canonical);
      }),
    );
  });

  it('returns a tag or undefined for every text', () => {
    fc.assert(
      fc.property(fc.oneof(tags(), anyText()), (text) => {
        const canonical = canonicalLocale(text);
        if (canonical !== undefined) expect(canonical).toMatch(/^(?!und\b)[a-z]{2,8}(-[a-zA-Z0-9]{1,8})*$/);
      }),
    );
  });
});

describe('agreedSecondary', () => {
  it.each([
    [undefined, undefined, undefined],
    ['es', undefined, 'es'],
    [undefined, 'es', 'es'],
    ['es-MX', 'es-MX', 'es-MX'],
  ])('%s and %s agree on %s', (secondaryLocale, learningLocale, agreed) => {
    expect(agreedSecondary(secondaryLocale, learningLocale)).toBe(agreed);
  });

  it.each([
    ['es', 'es-MX'],
    ['es-MX', 'es'],
    ['es', 'pt'],
  ])('%s and %s disagree', (secondaryLocale, learningLocale) => {
    expect(() => agreedSecondary(secondaryLocale, learningLocale)).toThrow(coded('LOCALE_CONFLICT'));
  });
});

describe('resolveLocales', () => {
  // fr is the caller's locale, es-MX its secondaryLocale, ko the best of its Accept-Language, ja a Fixed
  // conversation axis, pt-PT a Fixed paired axis and de the experience's default. The last two columns are
  // what the session gets, from a server without Accept-Language and from a browser with it.
  const table = `
    dual | conversation | paired | locale | secondary | server      | browser
    no   | match        | match  | -      | -         | de          | ko
    no   | match        | match  | fr     | -         | fr          | fr
    no   | match        | match  | -      | es-MX     | es-MX       | es-MX
    no   | match        | match  | fr     | es-MX     | es-MX       | es-MX
    no   | match        | fixed  | -      | -         | de          | ko
    no   | match        | fixed  | fr     | -         | fr          | fr
    no   | match        | fixed  | -      | es-MX     | es-MX       | es-MX
    no   | match        | fixed  | fr     | es-MX     | es-MX       | es-MX
    no   | fixed        | match  | -      | -         | ja          | ja
    no   | fixed        | match  | fr     | -         | ja          | ja
    no   | fixed        | match  | -      | es-MX     | ja          | ja
    no   | fixed        | match  | fr     | es-MX     | ja          | ja
    no   | fixed        | fixed  | -      | -         | ja          | ja
    no   | fixed        | fixed  | fr     | -         | ja          | ja
    no   | fixed        | fixed  | -      | es-MX     | ja          | ja
    no   | fixed        | fixed  | fr     | es-MX     | ja          | ja
    yes  | match        | match  | -      | -         | required    | required
    yes  | match        | match  | fr     | -         | required    | required
    yes  | match        | match  | -      | es-MX     | de + es-MX  | ko + es-MX
    yes  | match        | match  | fr     | es-MX     | fr + es-MX  | fr + es-MX
    yes  | match        | fixed  | -      | -         | de + pt-PT  | ko + pt-PT
    yes  | match        | fixed  | fr     | -         | fr + pt-PT  | fr + pt-PT
    yes  | match        | fixed  | -      | es-MX     | de + pt-PT  | ko + pt-PT
    yes  | match        | fixed  | fr     | es-MX     | fr + pt-PT  | fr + pt-PT
    yes  | fixed        | match  | -      | -         | required    | required
    yes  | fixed        | match  | fr     | -         | required    | required
    yes  | fixed        | match  | -      | es-MX     | ja + es-MX  | ja + es-MX
    yes  | fixed        | match  | fr     | es-MX     | ja + es-MX  | ja + es-MX
    yes  | fixed        | fixed  | -      | -         | ja + pt-PT  | ja + pt-PT
    yes  | fixed        | fixed  | fr     | -         | ja + pt-PT  | ja + pt-PT
    yes  | fixed        | fixed  | -      | es-MX     | ja + pt-PT  | ja + pt-PT
    yes  | fixed        | fixed  | fr     | es-MX     | ja + pt-PT  | ja + pt-PT
  `;
  const rows = table
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const cases = rows.flatMap(([dual, conversation, paired, locale, secondary, server, browser]) => [
    { dual, conversation, paired, locale, secondary, route: 'server', expected: server },
    { dual, conversation, paired, locale, secondary, route: 'browser', expected: browser },
  ]);

  it('is tested in every combination', () => {
    const combinations = cases.map(({ expected, ...combination }) => JSON.stringify(combination));
    expect(new Set(combinations).size).toBe(2 ** 6);
  });

  it.each(cases)(
    'dual $dual, conversation $conversation, paired $paired, locale $locale, secondary $secondary, $route: $expected',
    (c) => {
      const languages: Languages = {
        dual: c.dual === 'yes',
        default: 'de',
        conversation: c.conversation === 'fixed' ? { fixed: 'ja' } : 'match',
        paired: c.paired === 'fixed' ? { fixed: 'pt-PT' } : 'match',
      };
      const resolve = () =>
        resolveLocales(
          languages,
          {
            locale: c.locale === '-' ? undefined : c.locale,
            secondaryLocale: c.secondary === '-' ? undefined : c.secondary,
          },
          c.route === 'browser' ? 'it;q=0.5, ko' : undefined,
        );
      if (c.expected === 'required') {
        expect(resolve).toThrow(coded('SECONDARY_LOCALE_REQUIRED'));
        return;
      }
      const [locale, secondaryLocale] = c.expected?.split(' + ') ?? [];
      expect(resolve()).toStrictEqual(secondaryLocale ? { locale, secondaryLocale } : { locale });
    },
  );

  const match: Languages = { dual: false, default: 'de', conversation: 'match', paired: 'match' };

  it('uses language after locale and secondaryLocale, and before Accept-Language', () => {
    expect(resolveLocales(match, { language: 'es' }, 'ko')).toEqual({ locale: 'es' });
    expect(resolveLocales(match, { language: 'es', locale: 'fr' })).toEqual({ locale: 'fr' });
    expect(resolveLocales(match, { language: 'es', secondaryLocale: 'pt' })).toEqual({ locale: 'pt' });
    expect(resolveLocales({ ...match, dual: true }, { language: 'es', secondaryLocale: 'pt' })).toEqual({
      locale: 'es',
      secondaryLocale: 'pt',
    });
  });

  it.each(['', '*', 'en_US', ';;;,,,', 'fr;q=0', 'x-pirate, und'])(
    'falls back to the default when Accept-Language is %j',
    (acceptLanguage) => {
      expect(resolveLocales(match, {}, acceptLanguage)).toEqual({ locale: 'de' });
    },
  );

  const asked = fc.record(
    {
      locale: tags(),
      secondaryLocale: tags(),
      language: fc.constantFrom('en', 'es'),
      acceptLanguage: anyText(),
    },
    { requiredKeys: [] },
  );
  const axis = fc.oneof(fc.constant('match' as const), fc.record({ fixed: tags() }));

  it('prefers a Fixed axis to everything', () => {
    fc.assert(
      fc.property(asked, axis, tags(), fc.boolean(), (sent, other, fixed, dual) => {
        const languages = { dual, default: 'de', conversation: { fixed }, paired: other };
        fc.pre(!dual || other !== 'match' || sent.secondaryLocale !== undefined);
        expect(resolveLocales(languages, sent).locale).toBe(fixed);
      }),
    );
    fc.assert(
      fc.property(asked, axis, tags(), (sent, conversation, fixed) => {
        const languages = { dual: true, default: 'de', conversation, paired: { fixed } };
        expect(resolveLocales(languages, sent).secondaryLocale).toBe(fixed);
      }),
    );
  });

  it('throws only SECONDARY_LOCALE_REQUIRED, and returns secondaryLocale for dual only', () => {
    fc.assert(
      fc.property(asked, axis, axis, fc.boolean(), (sent, conversation, paired, dual) => {
        try {
          const resolved = resolveLocales({ dual, default: 'de', conversation, paired }, sent);
          expect('secondaryLocale' in resolved).toBe(dual);
          expect(resolved.locale).not.toBe('');
        } catch (error) {
          expect(error).toEqual(coded('SECONDARY_LOCALE_REQUIRED'));
          expect([dual, paired, sent.secondaryLocale]).toEqual([true, 'match', undefined]);
        }
      }),
    );
  });
});

describe('bestAcceptedLanguage', () => {
  it.each([
    ['en', 'en'],
    ['en-us', 'en-US'],
    ['iw', 'he'],
    ['fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', 'fr-CH'],
    ['en;q=0.8, fr;q=0.9', 'fr'],
    ['en;q=0.8, fr', 'fr'],
    ['en;q=0.5,fr;q=0.5', 'en'],
    ['en,fr', 'en'],
    ['en;q=1.000,fr', 'en'],
    ['fr;q=0.001', 'fr'],
    ['fr;Q=0.5', 'fr'],
    ['fr ; q=0.5 , en;q=0.6', 'en'],
    ['fr\t;\tq=0.7', 'fr'],
    ['  fr  ', 'fr'],
    [',, fr ,,', 'fr'],
    ['en;q=0, fr;q=0.1', 'fr'],
    ['en;q=0.000, fr;q=0.1', 'fr'],
    ['*, fr;q=0.1', 'fr'],
    ['en_US, fr;q=0.1', 'fr'],
    ['und, fr;q=0.1', 'fr'],
    ['x-pirate, fr;q=0.1', 'fr'],
    ['en;q=1.5, fr;q=0.1', 'fr'],
    ['en;q=2, fr;q=0.1', 'fr'],
    ['en;q=-1, fr;q=0.1', 'fr'],
    ['en;q=abc, fr;q=0.1', 'fr'],
    ['en;q=, fr;q=0.1', 'fr'],
    ['en;q, fr;q=0.1', 'fr'],
    ['en;q=0.1234, fr;q=0.1', 'fr'],
    ['en;q=1e0, fr;q=0.1', 'fr'],
    ['en;q=Infinity, fr;q=0.1', 'fr'],
    ['en;level=1, fr;q=0.1', 'fr'],
    ['en-*, fr;q=0.1', 'fr'],
    ['"en", fr;q=0.1', 'fr'],
    ['日本語, fr;q=0.1', 'fr'],
    [`${'a'.repeat(65)}, fr;q=0.1`, 'fr'],
  ])('of %j returns %s', (header, best) => {
    expect(bestAcceptedLanguage(header)).toBe(best);
  });

  it.each([
    '',
    ' ',
    ',',
    ';',
    '*',
    '*;q=1',
    'en;q=0',
    'en;q=0.0',
    'en_US',
    'und',
    'null',
    ';q=1',
    '=',
    '\u0000',
  ])('returns undefined for %j', (header) => {
    expect(bestAcceptedLanguage(header)).toBeUndefined();
  });

  it.each([
    ['languages', 'en;q=0.1,'.repeat(200_000)],
    ['commas', ','.repeat(2_000_000)],
    ['spaces', `en${' '.repeat(2_000_000)};q=0.5`],
    ['spaces without a tag', `en${' '.repeat(2_000_000)}x`],
    ['letters', 'a'.repeat(2_000_000)],
    ['digits', `en;q=0.${'1'.repeat(2_000_000)}`],
  ])('is fast with a header of very many %s', (_, header) => {
    const start = performance.now();
    bestAcceptedLanguage(header);
    // Quadratic time would take minutes.
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it('never throws, and returns canonical tags only', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(tags(), anyText())), (parts) => {
        const best = bestAcceptedLanguage(parts.join(','));
        if (best !== undefined) expect(canonicalLocale(best)).toBe(best);
      }),
    );
  });
});

function coded(code: ErrorCode): ApiError {
  return expect.toSatisfy((error: unknown) => error instanceof ApiError && error.code === code);
}

function tags(): fc.Arbitrary<string> {
  const subtag = fc.stringMatching(/^[a-zA-Z0-9]{1,8}$/);
  const language = fc.constantFrom('en', 'ES', 'iw', 'sh', 'zh', 'sgn', 'cmn', 'und', 'hy', 'tl', 'abcde');
  const rest = fc.constantFrom(
    '',
    '-latn',
    '-Hant-tw',
    '-us',
    '-840',
    '-arevela',
    '-u-ca-islamicc',
    '-t-iw',
    '-x-A',
  );
  return fc.oneof(
    fc.tuple(language, rest).map(([start, end]) => start + end),
    fc.tuple(language, fc.array(subtag, { maxLength: 4 })).map(([start, end]) => [start, ...end].join('-')),
  );
}

function anyText(): fc.Arbitrary<string> {
  return fc.oneof(
    unicodeText(),
    fc.string({ unit: 'grapheme' }),
    fc.stringMatching(/^[a-z*;=q.0-9, -]{0,60}$/),
  );
}
