import { createHash } from 'node:crypto';
import { contract } from '@session-launch/testing/contract.ts';
import { applyDemo } from '@session-launch/testing/demo.ts';
import { createWorld, expectError } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { version } from '../../src/config/version.ts';
import { startService, useService } from '../harness/service.ts';

const service = useService({ DEMO: 'on' });
const pages = ['/', '/reference', '/docs/', '/docs/decisions/0001-two-engines'];
/** Headers of a visitor from another machine, who gets no link to the console. */
const visitor = { 'X-Forwarded-For': '203.0.113.7' };

describe('the landing page', () => {
  test('shows the service and how to mint', async () => {
    const { status, text, headers } = await service.call({ path: '/' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-cache');
    expect(text).toContain('Ready to create sessions');
    expect(text).toContain(service.database.engine === 'embedded' ? 'Embedded PostgreSQL' : '>PostgreSQL<');
    expect(text).toContain(`curl -X POST ${service.url}/v1/sessions`);
    expect(text).toContain('$API_KEY');
    expect(text).not.toMatch(/\b\w+_(test|live)_\w/);
  });

  test('shows the published experiences of the demo project only', async () => {
    const stranger = await createWorld(service, { experience: { title: 'Of somebody else' } });
    expect((await service.call({ path: '/' })).text).not.toContain('demo catalog');
    await applyDemo(service, (file) => {
      file.experiences[0].title = 'Tea & <b>"biscuits"</b>';
    });
    const { text } = await service.call({ path: '/' });
    expect(text).toContain('demo catalog');
    expect(text).toContain('Tea &#38; &#60;b&#62;&#34;biscuits&#34;&#60;/b&#62;');
    expect(text).toContain('src="locations/market-hall/wide.svg"');
    expect(text).toContain('src="avatars/mateo/full.svg" alt="Mateo"');
    for (const badge of ['Paired with Mexican Spanish', 'Always Japanese', 'Any language', 'Presenter']) {
      expect(text).toContain(badge);
    }
    expect(text).not.toContain('Clockmaker');
    expect(text).not.toContain('Of somebody else');
    expect(text).not.toContain(stranger.projectId);
  });

  test('links to the console only for browsers on the same machine', async () => {
    const link = `href="${service.adminUrl}/console/"`;
    const shown = async (headers: Record<string, string>) =>
      (await service.call({ path: '/', headers })).text.includes(link);
    expect(await shown({})).toBe(true);
    expect(await shown({ Host: 'launch.example.com' })).toBe(false);
    expect(await shown(visitor)).toBe(false);
  });

  test('shows no catalog without a demo, even if a project has its id', async () => {
    const plain = await startService({ DEMO: 'off' }, service);
    try {
      await applyDemo(plain);
      const { status, text } = await plain.call({ path: '/' });
      expect(status).toBe(200);
      expect(text).not.toContain('Harbor');
    } finally {
      await plain.close();
    }
  });
});

describe('every page', () => {
  test.each(pages)('%s has no inline or foreign content, and a policy that enforces it', async (path) => {
    const { text, headers } = await service.call({ path, headers: visitor });
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline|https?:|\*/);
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
    expect(text).not.toMatch(/<(?!a )[^>]*\s(?:src|href|srcset)="(?:https?:)?\/\//);
    expect(text).toMatch(/<html lang="en">[\s\S]*<main[ >]/);
  });

  test.each(pages)('%s refers only to files that exist', async (path) => {
    const { text } = await service.call({ path, headers: visitor });
    const found = targetsOf(text, path);
    expect(found.size).toBeGreaterThan(4);
    for (const address of found) expect((await service.call({ path: address })).status, address).toBe(200);
  });

  test.each([...pages, '/site/site.css', '/docs/search.json', '/favicon.ico', '/openapi.json'])(
    '%s accepts GET and HEAD only',
    async (path) => {
      expect(await service.call({ method: 'HEAD', path })).toMatchObject({ status: 200, text: '' });
      const answer = await service.call({ method: 'POST', path, body: {} });
      expectError(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.allow).toBe('GET, HEAD');
    },
  );
});

describe('files of the pages', () => {
  test.each([
    ['/site/site.css', 'text/css; charset=utf-8'],
    ['/site/landing.css', 'text/css; charset=utf-8'],
    ['/site/landing.js', 'text/javascript; charset=utf-8'],
    ['/site/copy.js', 'text/javascript; charset=utf-8'],
    ['/site/docs.css', 'text/css; charset=utf-8'],
    ['/site/docs.js', 'text/javascript; charset=utf-8'],
    ['/docs/', 'text/html; charset=utf-8'],
    ['/docs/search.json', 'application/json; charset=utf-8'],
    ['/docs/files/examples/demo.yaml', 'text/plain; charset=utf-8'],
    ['/site/reference.css', 'text/css; charset=utf-8'],
    ['/site/reference.js', 'text/javascript; charset=utf-8'],
    ['/site/before-scalar.js', 'text/javascript; charset=utf-8'],
    ['/site/scalar.js', 'text/javascript; charset=utf-8'],
    ['/site/icon.svg', 'image/svg+xml'],
    ['/favicon.ico', 'image/svg+xml'],
  ])('%s is %s, compressed on request, and revalidated by its ETag', async (path, type) => {
    const answer = await service.call({ path });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe(type);
    expect(answer.headers).not.toHaveProperty('content-encoding');
    const response = await fetch(service.url + path, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.text()).toBe(answer.text);
    const plain = await service.call({ path, headers: { 'Accept-Encoding': 'gzip;q=0, *' } });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.text).toBe(answer.text);
    const again = await service.call({ path, headers: { 'If-None-Match': answer.headers.etag as string } });
    expect(again).toMatchObject({ status: 304, text: '' });
  });

  test('no other path is served', async () => {
    for (const path of [
      '/site/',
      '/site',
      '/site/nothing.css',
      '/site/..%2fpackage.json',
      '/reference/',
      '/docs/nothing',
      '/docs/index.html',
      '/docs/..%2f..%2fpackage.json',
    ]) {
      expectError(await service.call({ path }), 404, 'NOT_FOUND');
    }
  });
});

describe('the documentation', () => {
  test('/docs redirects to /docs/', async () => {
    const { status, headers } = await service.call({ path: '/docs' });
    expect([status, headers.location]).toEqual([302, 'docs/']);
  });

  test.each(['/docs/nothing?from=a/b', '/docs/decisions/0000-nothing', '/docs/..%2f..%2fpackage.json'])(
    'a browser gets a page for the unknown address %s, whose links work',
    async (path) => {
      const { status, headers, text } = await service.call({
        path,
        headers: { Accept: 'text/html,*/*;q=0.8' },
      });
      expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      const targets = targetsOf(text, path);
      expect(targets).toContain('/docs/');
      for (const target of targets) expect((await service.call({ path: target })).status, target).toBe(200);
    },
  );

  test('every relative link and anchor of every page leads somewhere, and every page can be reached', async () => {
    const texts = new Map<string, string>();
    const open = ['/docs/'];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      const { status, text, headers } = await service.call({ path });
      expect(status, path).toBe(200);
      texts.set(path, text);
      if (!String(headers['content-type']).startsWith('text/html') || !path.startsWith('/docs/')) continue;
      for (const target of targetsOf(text, path))
        if (!texts.has(target) && !open.includes(target)) open.push(target);
    }
    const missing = [...texts]
      .filter(([path]) => path.startsWith('/docs/') && !path.startsWith('/docs/files/'))
      .flatMap(([path, text]) =>
        [...text.matchAll(/href="([^"]*#[^"]+)"/g)].map(([, link = '']) => new URL(link, `http://x${path}`)),
      )
      .filter(({ host, pathname, hash }) => {
        const id = decodeURIComponent(hash.slice(1));
        return host === 'x' && !texts.get(pathname)?.includes(`id="${id}"`);
      });
    expect(missing.map(String)).toEqual([]);
    const { pages: known } = JSON.parse(texts.get('/docs/search.json') ?? (await searchIndex()).text);
    expect(known.length).toBeGreaterThan(60);
    expect(known.filter(([, url]: string[]) => !texts.has(`/docs/${url}`))).toEqual([]);
  });

  test('the page of the tests lists them by title', async () => {
    const { text } = await service.call({ path: '/docs/coverage' });
    expect(text).toContain('<li>is the committed contract, readable from any origin</li>');
  });

  test('pages show the version, their kind and where they are in the menu', async () => {
    const { text } = await service.call({ path: '/docs/embed' });
    expect(text).toContain('<p class="kind">How-to guide</p>');
    expect(text).toContain('<a href="embed" aria-current="page">Show a character on a page</a>');
    expect(text).toContain(`<span>${version}</span>`);
  });

  test('the search finds headings and the names in tables', async () => {
    const { pages: known, entries } = (await searchIndex()).json;
    const found = (name: string) =>
      entries
        .filter(([, text]: [number, string]) => text === name)
        .map(([page, , id]: [number, string, string]) => `${known[page][1]}#${id}`);
    expect(found('Backups')).toEqual(['operations#backups']);
    expect(found('DATABASE_URL')).toEqual(['configuration#database_url']);
  });

  const searchIndex = () => service.call({ path: '/docs/search.json' });
});

describe('/openapi.json', () => {
  test('is the committed contract, readable from any origin', async () => {
    const { status, json, text, headers } = await service.call({ path: '/openapi.json' });
    expect(status).toBe(200);
    expect(json).toEqual(contract);
    expect(JSON.stringify(json)).toBe(text);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers.etag).toBe(`"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`);
    const again = await service.call({
      path: '/openapi.json',
      headers: { 'If-None-Match': `W/${headers.etag}` },
    });
    expect(again).toMatchObject({ status: 304, text: '' });
  });
});

/** The paths that a page refers to, without its links to other sites. */
function targetsOf(text: string, path: string): Set<string> {
  const addresses = [...text.matchAll(/\s(?:src|href|srcset)="([^"]+)"/g)].map(([, address = '']) => address);
  const urls = addresses.map((address) => new URL(address, new URL(path, 'http://service')));
  return new Set(urls.filter(({ host }) => host === 'service').map(({ pathname }) => pathname));
}
