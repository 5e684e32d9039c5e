import type { Answer } from '@session-launch/testing/http.ts';
import { createWorld, mintFromServer, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { useService } from '../harness/service.ts';

const service = useService();

let world: World;
let etag: string;
beforeAll(async () => {
  world = await createWorld(service);
  etag = (await service.admin({ path: `/admin/experiences/${world.experienceId}` })).headers.etag as string;
});

/** A valid file whose experience has this YAML as its location, indented by eight spaces. */
const withLocation = (location: string) => `project: { id: ${world.projectId}, name: Demo }
experiences:
  - id: ${world.experienceId}
    slug: hostile
    title: Hostile
    runtime:
      characters: [{ characterId: ada, name: Ada }]
      transport: { type: websocket, url: wss://runtime.example.com/session }
      location:
${location}
`;

const line = (text: string) => `        ${text}\n`;
const laughs = Array.from({ length: 12 }, (_, n) =>
  line(
    `l${n}: &l${n} [${
      n === 0
        ? 'lol'
        : Array(12)
            .fill(`*l${n - 1}`)
            .join(', ')
    }]`,
  ),
).join('');
const repeated =
  line(`a: &a "${'x'.repeat(1024 * 1024)}"`) + line(`b: [${Array(600).fill('*a').join(', ')}]`);

const yamlBombs: [name: string, location: string, message: RegExp][] = [
  ['aliases of aliases', laughs, /expands, with the aliases before it, to more than 10000 values/],
  ['a long text that is repeated by aliases', repeated, /to more than 1048576 characters/],
  ['100,000 nested lists', line(`a: ${'['.repeat(100_000)}`), /is nested more than 32 levels deep/],
  [
    '400 nested lists in block style',
    line('a:') + line(`  ${'- '.repeat(400)}a`),
    /is nested more than 32 levels deep/,
  ],
  [
    '260,000 fields',
    line(`a: { ${Array.from({ length: 260_000 }, (_, n) => `k${n}: 1`).join(', ')} }`),
    /too many values/,
  ],
  ['merge keys', line('a: &a { b: 1 }') + line('<<: *a'), /has the merge key "<<"/],
  ['a field named __proto__', line('__proto__: { isAdmin: true }'), /has a field named "__proto__"/],
  ['a NUL character', line('a: "\\0"'), /has a NUL character/],
  ['half of a surrogate pair', line('a: "\\ud800"'), /has half of a surrogate pair/],
  ['a list as a field name', line('? [a, b]') + line(': 1'), /has a field name that is not text/],
  ['a field name that is an alias', line('a: &a b') + line('*a : 1'), /has a field name that is not text/],
  ['an infinite number', line('a: .inf'), /JSON cannot represent/],
  ['a number that is not finite', line('a: 1e999'), /JSON cannot represent/],
  ['a second document', `${line('a: 1')}---\nproject: {}\n`, /has a second document/],
  ['100,000 documents', `${line('a: 1')}${'---\n'.repeat(100_000)}`, /has a second document/],
  [
    'an unclosed text of 3 MB',
    line(`a: "${'x '.repeat(1_500_000)}`),
    /a quote that was opened above is never closed/,
  ],
  ['a tag', line('a: !!js/function "function () {}"'), /has the tag/],
];

describe('a project file with', () => {
  test.each(yamlBombs)('%s is refused with 400, planned and applied', async (_, location, message) => {
    for (const path of ['/admin/projects?plan=true', '/admin/projects']) {
      const headers = { 'Content-Type': 'application/yaml' };
      const answer = await service.admin({ method: 'POST', path, headers, body: withLocation(location) });
      expect(answer.status, answer.text.slice(0, 500)).toBe(400);
      expect(answer.json.error.message).toMatch(message);
    }
  });
});

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const documents: [name: string, location: string, message: RegExp][] = [
  [
    'a field named __proto__',
    '{"__proto__":{"isAdmin":true}}',
    /experience.runtime.location has a field named "__proto__"/,
  ],
  ['30 levels below the location', nested(30), /nested more than 32 levels deep/],
  ['600,000 values', `{"a":[${Array(600_000).fill(1).join(',')}]}`, /has too many values/],
  ['a NUL character', '{"a":"\\u0000"}', /NUL character/],
  ['half of a surrogate pair as a field name', '{"\\udc00":1}', /lone surrogate/],
];

describe('a document with', () => {
  const written = (location: string) =>
    `{"experience":{"slug":"hostile","title":"Hostile","status":"published","runtime":{"characters":[{"characterId":"ada","name":"Ada"}],` +
    `"transport":{"type":"websocket","url":"wss://runtime.example.com/session"},"location":${location}}}}`;
  const headers = { 'Content-Type': 'application/json' };

  test.each(documents)('%s is refused with 400, checked, saved and created', async (_, location, message) => {
    const answers: Answer[] = [];
    const path = `/admin/experiences/${world.experienceId}`;
    const body = written(location);
    for (const query of ['?plan=true', ''])
      answers.push(
        await service.admin({
          method: 'PUT',
          path: path + query,
          headers: { ...headers, 'If-Match': etag },
          body,
        }),
      );
    const create = `/admin/projects/${world.projectId}/experiences`;
    answers.push(await service.admin({ method: 'POST', path: create, headers, body }));
    for (const answer of answers) {
      expect(answer.status, answer.text.slice(0, 500)).toBe(400);
      expect(answer.json.error.message).toMatch(message);
    }
  });

  test('fields named constructor and prototype is accepted as it is', async () => {
    const path = `/admin/experiences/${world.experienceId}?plan=true`;
    const location = '{"constructor":{"prototype":{"isAdmin":true}},"toString":"a"}';
    const body = written(location);
    const answer = await service.admin({
      method: 'PUT',
      path,
      headers: { ...headers, 'If-Match': etag },
      body,
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.experience.runtime.location).toEqual(JSON.parse(location));
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  test.each(['exp_\0', 'exp_\u{1f600}', 'exp_é', 'exp_a\u200b', 'exp_../a', '__proto__', 'constructor'])(
    'the id %j is refused with 400',
    async (id) => {
      const path = `/admin/projects/${world.projectId}/experiences`;
      const body = written('{}').replace('{"slug"', `{"id":${JSON.stringify(id)},"slug"`);
      expect((await service.admin({ method: 'POST', path, headers, body })).status).toBe(400);
    },
  );
});

/** Ids in paths: characters outside of ASCII, encoded and cut, with other normal forms, and texts that look like other ids. */
const ids = [
  '%00',
  '%F0%9F%98%80',
  'e%CC%81',
  '%E2%80%AEexp',
  '%EF%BC%85',
  '%ff',
  '%C0%80',
  '%ED%A0%80',
  '%',
  '..%2F',
  '__proto__',
];

test.each(ids)('the id %j in a path is not found, whatever it stands for', async (id) => {
  const of = (prefix: string) => [`${prefix}${id}`, id];
  const paths = [
    ...of('exp_').flatMap((one) => [
      `/admin/experiences/${one}`,
      `/admin/experiences/${one}/revisions`,
      `/admin/experiences/${one}/previews`,
    ]),
    ...of('prj_').flatMap((one) => [
      `/admin/projects/${one}`,
      `/admin/projects/${one}/overview`,
      `/admin/projects/${one}/keys`,
    ]),
    ...of('ses_').map((one) => `/admin/sessions/${one}`),
  ];
  for (const path of paths) {
    const { status, text } = await service.admin({ path });
    expect([400, 404], `${path} ${text}`).toContain(status);
  }
  for (const one of of('ses_')) {
    const headers = { Authorization: `Bearer ${world.key}` };
    const { status, text } = await service.call({ path: `/v1/sessions/${one}`, headers });
    expect([400, 404], `${one} ${text}`).toContain(status);
  }
  for (const one of of('exp_')) {
    const { status, text } = await mintFromServer(service, world.key, { experienceId: one });
    expect([400, 404], `${one} ${text}`).toContain(status);
  }
});

test('mints continue after all of them', async () => {
  const { experienceId, key } = world;
  expect((await mintFromServer(service, key, { experienceId })).status).toBe(201);
});
