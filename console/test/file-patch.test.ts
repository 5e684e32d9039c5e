import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { makePatch } from '../src/screens/import/make-patch.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests change any field
type Loose = any;

const text = `# A project with comments.
project:
  id: prj_shop
  name: Shop # shown in lists
  allowedOrigins: [https://a.example, https://b.example]
experiences:
  # The first one.
  - id: exp_cafe
    slug: cafe
    title: Café
    description: >
      A long text
      over two lines.
    taxonomy:
      useCases: [practice]
    runtime:
      languages: { dual: false, default: en }
      mind:
        greeting:
          en:
            - Hello!
            - Good morning!
        lessons:
          - { id: one, say: { es: Uno } }
          - { id: two, say: { es: Dos } }

  # The second one.
  - slug: harbor
    id: exp_harbor
    title: "Harbor"
`;

/** The differences of two documents, with paths as a plan has them. */
function differences(
  before: Loose,
  after: Loose,
  path = '',
): { path: string; before?: unknown; after?: unknown }[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const isOpen = (value: Loose) => typeof value === 'object' && value !== null;
  if (!isOpen(before) || !isOpen(after) || Array.isArray(before) !== Array.isArray(after))
    return [{ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }];
  const isExperiences = path === 'experiences';
  const keyed = (value: Loose) =>
    isExperiences ? Object.fromEntries(value.map((one: Loose) => [one.id, one])) : value;
  const [old, now] = [keyed(before), keyed(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((key) => {
    const step = Array.isArray(before) || isExperiences ? `[${key}]` : path === '' ? key : `.${key}`;
    return differences(old[key], now[key], `${path}${step}`);
  });
}

/** Applies the patch for a service whose project differs from the file by `change`. */
function patched(change: (project: Loose) => void, file = text): string {
  const service = structuredClone(parse(file));
  change(service);
  const plan = { changes: differences(service, parse(file)) } as Loose;
  const patch = makePatch({ name: 'shop.yaml', text: file }, plan);
  const folder = mkdtempSync(join(tmpdir(), 'file-patch-'));
  try {
    writeFileSync(join(folder, 'shop.yaml'), file);
    writeFileSync(join(folder, 'x.patch'), patch ?? '');
    execFileSync('git', ['apply', 'x.patch'], { cwd: folder });
    const result = readFileSync(join(folder, 'shop.yaml'), 'utf8');
    expect(parse(result)).toEqual(service);
    return result;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const changes: Record<string, (project: Loose) => void> = {
  'a text with a comment behind it': ({ project }) => {
    project.name = 'Corner shop: "the" one';
  },
  'a list on one line': ({ project }) => {
    project.allowedOrigins = ['https://c.example'];
  },
  'several fields of several experiences': ({ experiences: [cafe, harbor] }) => {
    cafe.title = 'Café Lisboa';
    cafe.taxonomy.era = 'present';
    cafe.runtime.languages.default = 'pt-PT';
    harbor.title = 'Old harbor';
  },
  'a folded text': ({ experiences: [cafe] }) => {
    cafe.description = 'Two\nlines, with # and: marks.';
  },
  'a removed field': ({ experiences: [cafe] }) => {
    delete cafe.description;
  },
  'removed and added list items': ({ experiences: [cafe] }) => {
    cafe.runtime.mind.greeting.en = ['Hello!', 'Good evening!', 'And again!'];
    cafe.runtime.mind.lessons = [{ id: 'two', say: { es: ['Dos', 'Un par'] } }];
  },
  'new fields at two depths': ({ experiences: [cafe, harbor] }) => {
    cafe.avatarId = 'ines';
    cafe.runtime.limits = { maxSeconds: 60 };
    cafe.runtime.mind.fallback = { en: ['I do not know.'] };
    harbor.runtime = { characters: [{ characterId: 'a', name: 'A' }] };
  },
};

test.each(Object.entries(changes))('a patch brings %s into a file', (_, change) => {
  const result = patched(change);
  for (const comment of [
    '# A project with comments.',
    '# shown in lists',
    '# The first one.',
    '# The second one.',
  ])
    expect(result).toContain(comment);
});

test('lines that do not change stay as they are', () => {
  const result = patched(({ experiences: [cafe] }) => {
    cafe.title = 'Bar';
  });
  expect(result).toBe(text.replace('title: Café', 'title: Bar'));
});

test('an experience that only the file has stays in it', () => {
  const plan = { changes: [{ path: 'experiences[exp_harbor]', after: { title: 'Harbor' } }] } as Loose;
  expect(makePatch({ name: 'shop.yaml', text }, plan)).toBe('');
});

test('there is no patch for a file that is not written in lines', () => {
  const json = JSON.stringify(parse(text));
  const plan = { changes: [{ path: 'project.name', before: 'A', after: 'Shop' }] } as Loose;
  expect(makePatch({ name: 'shop.json', text: json }, plan)).toBeUndefined();
});

test('a patch brings many changes into the demo file', () => {
  const demo = readFileSync(new URL('../../examples/demo.yaml', import.meta.url), 'utf8');
  patched(({ project, experiences }) => {
    delete project.limits;
    for (const [index, one] of experiences.entries()) {
      one.title = `${one.title} ${index}`;
      one.runtime.mind.greeting.en?.push('One more.');
      one.runtime.mind.topics[index].tell.en?.shift();
      one.runtime.mind.topics.splice(index + 2, 1);
      if (index % 2 === 0) delete one.taxonomy;
    }
  }, demo);
});
