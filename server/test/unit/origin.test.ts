import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allows, nearMiss, normaliseEntry, parseOrigin } from '../../src/origins/origin.ts';
import {
  exactEntries as exact,
  hostileOrigins as hostile,
  wildcardEntries as wildcard,
} from '../harness/hostile-origins.ts';
import { pageUrl, unicodeText } from '../harness/texts.ts';

const wildcardWithPort = ['https://*.example.com:8443'];

describe('parseOrigin', () => {
  it.each([
    'https://example.com',
    'http://example.com',
    'https://example.com:8443',
    'http://localhost:5173',
    'http://127.0.0.1',
    'http://[::1]:3000',
    'https://xn--bcher-kva.example',
    'https://a_b.example.com',
    'https://example.com.',
  ])('returns %s unchanged', (origin) => {
    expect(parseOrigin(origin)).toBe(origin);
  });

  it.each([
    '',
    'null',
    '*',
    'ftp://example.com',
    'ws://example.com',
    'wss://example.com',
    'chrome-extension://abcdefghijklmnop',
    'https://',
    'https://example.com/',
    'https://EXAMPLE.com',
    'https://example.com:443',
    'http://example.com:80',
    'https://bücher.example',
    `https://${'a'.repeat(600)}.com`,
  ])('refuses %s', (value) => {
    expect(parseOrigin(value)).toBeUndefined();
  });

  it('returns its argument or undefined, and never throws', () => {
    fc.assert(
      fc.property(anyText(), (value) => {
        expect([value, undefined]).toContain(parseOrigin(value));
      }),
    );
  });
});

describe('allows', () => {
  it.each([
    [exact, 'https://example.com'],
    [exact, 'https://xn--bcher-kva.example'],
    [exact, 'http://localhost:5173'],
    [['http://[::1]:3000'], 'http://[::1]:3000'],
    [wildcard, 'https://www.example.com'],
    [wildcard, 'https://a.example.com'],
    [wildcard, 'https://a-b.example.com'],
    [wildcard, 'https://a_b.example.com'],
    [wildcard, 'https://xn--bcher-kva.example.com'],
    [wildcardWithPort, 'https://www.example.com:8443'],
    [['https://*.deep.example.com'], 'https://a.deep.example.com'],
    [['https://other.example', ...wildcard], 'https://www.example.com'],
  ])('%j admits %s', (entries, origin) => {
    expect(allows(entries, origin)).toBe(true);
  });

  it('refuses all origins when the list is empty', () => {
    for (const origin of ['https://example.com', 'null', '*', '']) expect(allows([], origin)).toBe(false);
  });

  it('matches a wildcard entry only as a pattern', () => {
    expect(allows(wildcard, 'https://*.example.com')).toBe(false);
    expect(allows(wildcard, 'https://a*.example.com')).toBe(false);
    expect(allows(wildcard, 'https://*.www.example.com')).toBe(false);
  });

  it('is tested with different hostile values', () => {
    expect(new Set(hostile).size).toBe(hostile.length);
  });

  it.each(hostile.map((origin) => [origin.length > 80 ? `${origin.slice(0, 80)}…` : origin, origin]))(
    'refuses %j against exact and wildcard entries',
    (_, origin) => {
      expect(allows(exact, origin)).toBe(false);
      expect(allows(wildcard, origin)).toBe(false);
      expect(allows([...exact, ...wildcard], origin)).toBe(false);
    },
  );

  it('distinguishes the apex from its subdomains', () => {
    expect(allows(wildcard, 'https://example.com')).toBe(false);
    expect(allows(exact, 'https://www.example.com')).toBe(false);
  });

  it('requires the same port for a wildcard entry', () => {
    expect(allows(wildcardWithPort, 'https://www.example.com')).toBe(false);
    expect(allows(wildcardWithPort, 'https://www.example.com:8444')).toBe(false);
    expect(allows(wildcardWithPort, 'https://www.example.com:84430')).toBe(false);
    expect(allows(wildcardWithPort, 'https://example.com:8443')).toBe(false);
    expect(allows(wildcard, 'https://www.example.com:8443')).toBe(false);
  });

  it('admits only serialised origins, for any input', () => {
    fc.assert(
      fc.property(anyText(), (origin) => {
        const entries = [...exact, ...wildcard];
        if (allows(entries, origin)) expect(new URL(origin).origin).toBe(origin);
        expect(allows(wildcard, `https://${origin}`)).toBe(
          /^[a-z0-9_-]+\.example\.com$/.test(origin) && parseOrigin(`https://${origin}`) !== undefined,
        );
      }),
    );
  });

  it('admits exactly one label for a wildcard', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,20}$/);
    fc.assert(
      fc.property(label, label, (one, other) => {
        expect(allows(wildcard, `https://${one}.example.com`)).toBe(true);
        expect(allows(wildcard, `https://${one}.${other}.example.com`)).toBe(false);
        expect(allows(wildcard, `https://${one}example.com`)).toBe(false);
        expect(allows(wildcard, `https://${one}.example.com.${other}`)).toBe(false);
      }),
    );
  });
});

describe('normaliseEntry', () => {
  it.each([
    ['https://example.com', 'https://example.com'],
    ['https://example.com/', 'https://example.com'],
    ['HTTPS://WWW.Example.COM/', 'https://www.example.com'],
    ['https://example.com:443', 'https://example.com'],
    ['https://example.com:443/', 'https://example.com'],
    ['https://example.com:8443', 'https://example.com:8443'],
    ['https://example.com:08443', 'https://example.com:8443'],
    ['https://Bücher.example', 'https://xn--bcher-kva.example'],
    ['https://bu\u0308cher.example', 'https://xn--bcher-kva.example'],
    ['https://例え.jp', 'https://xn--r8jz45g.jp'],
    ['https://a_b.example.com', 'https://a_b.example.com'],
    ['https://intranet', 'https://intranet'],
    ['https://github.io', 'https://github.io'],
    ['https://192.0.2.7:8443', 'https://192.0.2.7:8443'],
    ['https://[2001:DB8:0::1]', 'https://[2001:db8::1]'],
    ['https://localhost:5173', 'https://localhost:5173'],
    ['http://localhost', 'http://localhost'],
    ['http://LOCALHOST:80/', 'http://localhost'],
    ['http://localhost:5173', 'http://localhost:5173'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['http://[0:0:0:0:0:0:0:1]', 'http://[::1]'],
    ['https://*.example.com', 'https://*.example.com'],
    ['HTTPS://*.Example.com:443/', 'https://*.example.com'],
    ['https://*.example.com:8443', 'https://*.example.com:8443'],
    ['https://*.preview.example.com', 'https://*.preview.example.com'],
    ['https://*.Bücher.example', 'https://*.xn--bcher-kva.example'],
    ['https://*.example.co.uk', 'https://*.example.co.uk'],
    ['https://*.someone.github.io', 'https://*.someone.github.io'],
    ['https://*.apps.internal', 'https://*.apps.internal'],
  ])('stores %s as %s', (text, entry) => {
    expect(normaliseEntry(text)).toEqual({ entry });
  });

  it.each([
    ['', /empty/],
    ['*', /^"\*" would admit every site; list each origin, such as https:\/\/www\.example\.com$/],
    ['null', /sandboxed/],
    ['NULL', /sandboxed/],
    [' ', /white space/],
    [' https://example.com', /white space/],
    ['https://example.com ', /white space/],
    ['https://exa mple.com', /white space/],
    ['https://exam\tple.com', /white space/],
    ['https://example.com\n', /white space/],
    [`https://example.com${String.fromCharCode(0)}`, /white space/],
    ['https://a.example https://b.example', /white space/],
    ['example.com', /does not start with https/],
    ['www.example.com', /does not start with https/],
    ['localhost:5173', /does not start with https/],
    ['//example.com', /does not start with https/],
    ['ftp://example.com', /does not start with https/],
    ['wss://example.com', /does not start with https/],
    ['file:///etc', /does not start with https/],
    ['blob:https://example.com', /does not start with https/],
    ['data:text/html,x', /does not start with https/],
    ['https:example.com', /does not start with https/],
    ['https:/example.com', /does not start with https/],
    ['https:\\\\example.com', /does not start with https/],
    ['https://user@example.com', /user name/],
    ['https://user:secret@example.com', /user name/],
    ['https://@example.com', /user name/],
    ['ftp://user:secret@example.com', /user name/],
    ['https://example.com/app', /path/],
    ['https://example.com//', /path/],
    ['https://example.com/.', /path/],
    ['https://example.com/*', /path/],
    ['https://example.com\\', /path/],
    ['https://example.com?', /query/],
    ['https://example.com/?a=1', /query/],
    ['https://example.com#', /fragment/],
    ['https://example.com/#top', /fragment/],
    ['https://', /not valid/],
    ['https:///', /path|not valid/],
    ['https://:443', /not valid/],
    ['https://example.com:99999', /not valid/],
    ['https://example.com:abc', /not valid/],
    ['https://256.256.256.256', /not valid/],
    ['https://[::1', /not valid/],
    ['https://xn--a', /not valid/],
    ['https://*.xn--bcher-kvb.example', /not valid/],
    ['https://example.com.', /domain name/],
    ['https://.example.com', /domain name/],
    ['https://a..example.com', /domain name/],
    ['https://a.example,b.example', /domain name/],
    ['https://%2a.example.com', /domain name/],
    ['https://\uff0a.example.com', /domain name/],
    ['https://*.%2a.example.com', /domain name/],
    [`https://${'a'.repeat(600)}.example`, /characters/],
    // http
    ['http://example.com', /http, which is allowed only/],
    ['http://127.0.0.2', /http, which is allowed only/],
    ['http://localhost.example.com', /http, which is allowed only/],
    ['http://app.localhost', /http, which is allowed only/],
    ['http://[::2]', /http, which is allowed only/],
    ['http://*.localhost', /http, which is allowed only/],
    ['http://*.example.com', /http, which is allowed only/],
    // wildcards
    ['https://*', /left-most label/],
    ['http://*', /left-most label/],
    ['https://*:8443', /left-most label/],
    ['https://*example.com', /left-most label/],
    ['https://a*.example.com', /left-most label/],
    ['https://*a.example.com', /left-most label/],
    ['https://www.*.com', /left-most label/],
    ['https://www.*.example.com', /left-most label/],
    ['https://*.*.example.com', /left-most label/],
    ['https://example.*', /left-most label/],
    ['https://example.com:*', /left-most label/],
    ['https://*.', /not valid/],
    ['https://*..example.com', /domain name/],
    ['https://*.com.', /domain name/],
    ['https://*.com', /many owners/],
    ['https://*.co.uk', /many owners/],
    ['https://*.CO.UK:8443', /many owners/],
    ['https://*.github.io', /many owners/],
    ['https://*.vercel.app', /many owners/],
    ['https://*.公司.cn', /many owners/],
    ['https://*.ck', /many owners/],
    ['https://*.kawasaki.jp', /many owners/],
    ['https://*.localhost', /many owners/],
    ['https://*.internal', /many owners/],
    ['https://*.127.0.0.1', /IP address/],
    ['https://*.0x7f.1', /IP address/],
    ['https://*.[::1]', /IP address/],
  ])('refuses %j', (text, problem) => {
    expect(normaliseEntry(text)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it('does not quote a password', () => {
    expect(JSON.stringify(normaliseEntry('https://user:secret@example.com'))).not.toContain('secret');
  });

  it('names the public suffix in its error', () => {
    expect(normaliseEntry('https://*.github.io')).toEqual({ problem: expect.stringContaining('github.io;') });
  });

  it('never throws, and is idempotent', () => {
    fc.assert(
      fc.property(anyText(), fc.constantFrom('', 'https://', 'https://*.', 'http://'), (text, start) => {
        const result = normaliseEntry(start + text);
        if ('entry' in result) expect(normaliseEntry(result.entry)).toEqual(result);
        else expect(result.problem).not.toBe('');
      }),
    );
  });

  it('returns entries that admit the origin a browser would send for them', () => {
    fc.assert(
      fc.property(pageUrl(['https']), (page) => {
        const { origin } = new URL(page);
        const result = normaliseEntry(origin);
        expect(result).toEqual({ entry: origin });
        expect(allows([origin], origin)).toBe(true);
      }),
    );
  });
});

describe('nearMiss', () => {
  it.each([
    ['https://example.com', 'https://example.com:8443', 'its port'],
    ['https://example.com:8443', 'https://example.com', 'its port'],
    ['http://localhost:5173', 'http://localhost:3000', 'its port'],
    ['http://[::1]:5173', 'http://[::1]', 'its port'],
    ['https://*.example.com', 'https://www.example.com:8443', 'its port'],
    ['https://*.example.com:8443', 'https://www.example.com', 'its port'],
    ['https://example.com', 'http://example.com', 'its scheme (http or https)'],
    ['http://localhost:5173', 'https://localhost:5173', 'its scheme (http or https)'],
    ['https://*.example.com', 'http://app.example.com', 'its scheme (http or https)'],
    ['https://example.com', 'https://www.example.com', 'a leading "www."'],
    ['https://www.example.com', 'https://example.com', 'a leading "www."'],
    ['https://*.example.com', 'https://example.com', 'a leading "www."'],
    ['https://example.com', 'http://example.com:8080', 'its scheme (http or https) and its port'],
    ['https://www.example.com', 'http://example.com', 'its scheme (http or https) and a leading "www."'],
    ['https://www.example.com', 'https://example.com:8443', 'its port and a leading "www."'],
    [
      'https://www.example.com',
      'http://example.com:8080',
      'its scheme (http or https) and its port and a leading "www."',
    ],
  ])('%s and %s differ in %s', (entry, origin, what) => {
    const hint = `An allowed origin differs only in ${what}.`;
    expect(nearMiss([entry], origin)).toBe(hint);
    expect(nearMiss(['https://unrelated.example', entry], origin)).toBe(hint);
  });

  it('names the smallest difference', () => {
    expect(nearMiss(['https://www.example.com', 'https://example.com:8443'], 'https://example.com')).toBe(
      'An allowed origin differs only in its port.',
    );
  });

  it.each([
    'https://example.com/',
    'https://example.com/page?q=1#top',
    'https://EXAMPLE.com',
    'https://example.com:443',
    'https://bücher.example',
  ])('reports that %s differs only in its spelling', (origin) => {
    expect(nearMiss(exact, origin)).toMatch(/^An allowed origin differs only in its spelling: /);
  });

  it.each([
    ['an allowed origin', 'https://example.com'],
    ['an unrelated origin', 'https://evil.com'],
    ['the allowed host as a prefix', 'https://example.com.evil.com'],
    ['a host with the same ending', 'https://evilexample.com'],
    ['a subdomain', 'https://app.example.com'],
    ['null', 'null'],
    ['nothing', ''],
    ['an asterisk', '*'],
    ['a wildcard entry', 'https://*.example.com'],
    ['a blob', 'blob:https://example.com/0b5a1c2d'],
    ['a very long text', `https://example.com/${'a'.repeat(1_000)}`],
  ])('returns undefined for %s', (_, origin) => {
    expect(nearMiss(exact, origin)).toBeUndefined();
  });

  it('returns undefined when the list is empty', () => {
    expect(nearMiss([], 'https://example.com')).toBeUndefined();
  });

  it('never names an entry and never throws', () => {
    const entries = ['https://secret-customer.example', 'https://*.secret-partner.example:8443'];
    const hosts = fc.constantFrom(
      'secret-customer.example',
      'www.secret-customer.example',
      'a.secret-partner.example',
    );
    const origin = fc
      .tuple(fc.constantFrom('http', 'https'), hosts, fc.constantFrom('', ':1', ':8443', '/'))
      .map(([scheme, host, end]) => `${scheme}://${host}${end}`);
    fc.assert(
      fc.property(fc.oneof(origin, anyText()), (value) => {
        expect(nearMiss(entries, value) ?? '').not.toContain('secret');
      }),
    );
  });
});

function anyText(): fc.Arbitrary<string> {
  return fc.oneof(
    unicodeText(),
    fc.string({ unit: 'grapheme' }),
    pageUrl(),
    fc.stringMatching(/^https?:\/\/[a-z*.]{0,12}example\.com[:/a-z0-9.@*]{0,8}$/),
    fc.stringMatching(/^[a-zA-Z_.*-]{0,6}\.example\.com$/),
  );
}
