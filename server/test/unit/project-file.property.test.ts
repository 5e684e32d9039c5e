import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkJson } from '../../src/documents/json-check.ts';
import { ProjectFileError } from '../../src/documents/problem.ts';
import {
  type Experience,
  type ProjectFile,
  parseProjectFile,
  serialiseProjectFile,
} from '../../src/documents/project-file.ts';
import { effort } from '../harness/effort.ts';
import { unicodeText } from '../harness/texts.ts';

const formats = fc.constantFrom('yaml' as const, 'json' as const);

const idPart = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const slug = fc.stringMatching(/^[a-z0-9]{1,10}(-[a-z0-9]{1,5}){0,3}$/);
/** Strings without NUL, including ones that a YAML parser could read as another type. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  unicodeText().map((s) => s.replaceAll('\0', '0')),
  fc.constantFrom(
    ...['no', 'null', '~', '1e3', '0x1F', '2024-01-01', '<<', '=', '- a', 'a: b', 'a #b', '*a', '&a'],
  ),
  fc.constantFrom(
    ...[
      '!a',
      '|',
      '>',
      '%a',
      '@a',
      ' a ',
      'a\nb\n\n',
      '\ta',
      'a\r\nb',
      '---',
      '...',
      '? a',
      '\ufeff',
      '\u2028',
    ],
  ),
);
const shortText = text.map((s) => [...`${s}`].slice(0, 200).join('')).filter((s) => /\S/u.test(s));
const name = text.filter((s) => s !== '__proto__');
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((n) => n || 0);
const { value: freeValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const free = fc.dictionary(name, freeValue, { maxKeys: 4, noNullPrototype: true });

const origin = fc.constantFrom(
  'https://a.example',
  'https://*.b.example',
  'http://localhost:5173',
  'https://c.example:8443',
);
const origins = fc.uniqueArray(origin);
const tag = fc.constantFrom('en', 'pt-PT', 'zh-Hant-TW', 'he');
const axis = fc.oneof(fc.constant('match' as const), fc.record({ fixed: tag }));
const limit = fc.oneof(fc.nat({ max: 2_147_483_647 }), fc.constant(null));
const path = (folder: string) =>
  fc
    .stringMatching(/^[\wé ~@%+-]{1,8}(\/\w{1,3}\.[a-z]{1,4})?$/)
    .map((s) => `/${folder}/${s.replaceAll('%', '%25')}`);

const seconds = fc.integer({ min: 1, max: 86_400 });
const texts = fc
  .uniqueArray(fc.tuple(tag, fc.array(shortText, { minLength: 1, maxLength: 3 })), {
    minLength: 1,
    maxLength: 3,
    selector: ([language]) => language,
  })
  .map((entries) => Object.fromEntries(entries));
const mind = fc.record(
  {
    persona: shortText,
    greeting: texts,
    fallback: texts,
    topics: fc.uniqueArray(fc.record({ id: idPart, ask: texts, tell: texts }), {
      maxLength: 2,
      selector: ({ id }) => id,
    }),
    lessons: fc.uniqueArray(fc.record({ id: idPart, say: texts }), {
      maxLength: 2,
      selector: ({ id }) => id,
    }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

const character = fc.record(
  { characterId: idPart, name: shortText, voice: free, avatar: free },
  { requiredKeys: ['characterId', 'name'], noNullPrototype: true },
);
const runtime = fc.record(
  {
    mode: fc.constantFrom('conversation' as const, 'presenter' as const),
    speechInputMode: fc.constantFrom('auto' as const, 'manual' as const, 'off' as const),
    languages: fc.record({ dual: fc.boolean(), default: tag, conversation: axis, paired: axis }),
    characters: fc.uniqueArray(character, { minLength: 1, maxLength: 3, selector: (c) => c.characterId }),
    location: free,
    transport: free.map(({ type: _type, url: _url, ...others }) => ({
      type: 'websocket' as const,
      url: 'wss://runtime.example.com/session',
      ...others,
    })),
    limits: fc.record({ maxSeconds: seconds, idleSeconds: seconds }),
    mind,
  },
  {
    requiredKeys: ['mode', 'speechInputMode', 'languages', 'characters', 'transport', 'limits'],
    noNullPrototype: true,
  },
);
const experience = fc.record(
  {
    id: idPart.map((s) => `exp_${s}`),
    slug,
    title: shortText,
    sortOrder: fc.integer(),
    status: fc.constantFrom('draft' as const, 'published' as const, 'archived' as const),
    public: fc.boolean(),
    allowedOrigins: origins,
    avatarId: shortText,
    thumbnailPath: path('avatars'),
    galleryThumb: fc.record({ avatarImage: path('avatars'), backgroundImage: path('locations') }),
    runtime,
  },
  {
    requiredKeys: ['id', 'slug', 'title', 'sortOrder', 'status', 'public', 'allowedOrigins', 'runtime'],
    noNullPrototype: true,
  },
);
const projectFile: fc.Arbitrary<ProjectFile> = fc.record({
  project: fc.record({
    id: idPart.map((s) => `prj_${s}`),
    name: shortText,
    browserEmbeds: fc.boolean(),
    allowedOrigins: origins,
    limits: fc.record({
      mintsPerMinutePerClient: limit,
      mintsPerMinute: limit,
      sessionsPerDay: limit,
      concurrentSessions: limit,
      concurrentSessionsPerClient: limit,
    }),
  }),
  experiences: fc
    .uniqueArray(experience, { maxLength: 3, selector: (e) => e.id })
    .map((list) => [...new Map(list.map((e) => [e.slug, e])).values()] as Experience[]),
});

/** The error for a file; any other error than ProjectFileError fails the test. */
function refusal(source: string, format: 'yaml' | 'json'): ProjectFileError | undefined {
  try {
    parseProjectFile(source, format);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProjectFileError)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    for (const problem of error.problems) expect(problem.message).toMatch(/\S/);
    return error;
  }
}

/** A file with parts removed, duplicated or replaced by syntax characters. */
function damaged(
  source: string,
  edits: readonly (readonly [at: number, length: number, insert: string])[],
): string {
  let result = source;
  for (const [at, length, insert] of edits) {
    const start = at % (result.length + 1);
    result = result.slice(0, start) + insert + result.slice(start + length);
  }
  return result;
}
const edits = fc.array(
  fc.tuple(
    fc.nat({ max: 100_000 }),
    fc.nat({ max: 12 }),
    fc.oneof(
      fc.constantFrom(
        '',
        '\n',
        '\n\n',
        '\t',
        '"',
        "'",
        '[',
        ']',
        '{',
        '}',
        ',',
        ':',
        ': ',
        '- ',
        '#',
        ' #',
        '&a ',
        '*a',
      ),
      fc.constantFrom(
        '!!',
        '!!set ',
        '<<: ',
        '? ',
        '|\n',
        '>',
        '---\n',
        '...\n',
        '%',
        '@',
        '\\',
        '\0',
        '\ud800',
        '\ufeff',
        '\r',
      ),
      unicodeText({ maxLength: 6 }),
    ),
  ),
  { minLength: 1, maxLength: 6 },
);

describe('every valid project file', () => {
  test('can be written and read back in both formats', () => {
    fc.assert(
      fc.property(projectFile, formats, (file, format) => {
        const written = serialiseProjectFile(file, format);
        const read = parseProjectFile(written, format);
        expect(read).toEqual(file);
        expect(JSON.stringify(read)).toBe(JSON.stringify(file));
      }),
      { numRuns: effort(50, 150) },
    );
  });

  test('as JSON is read the same in both formats', () => {
    fc.assert(
      fc.property(projectFile, fc.constantFrom(undefined, 1, '\t'), (file, indent) => {
        const json = JSON.stringify(file, null, indent);
        expect(parseProjectFile(json, 'json')).toEqual(parseProjectFile(json, 'yaml'));
      }),
      { numRuns: effort(25, 75) },
    );
  });
});

describe('only a ProjectFileError is thrown for', () => {
  test('random text', () => {
    const any = fc.oneof(unicodeText(), fc.string({ unit: 'grapheme', size: 'large' }), fc.json());
    fc.assert(
      fc.property(any, formats, (source, format) => {
        expect(refusal(source, format)).toBeInstanceOf(ProjectFileError);
      }),
      { numRuns: effort(333, 1_000) },
    );
  });

  test('a corrupted file', () => {
    fc.assert(
      fc.property(projectFile, formats, edits, (file, format, damage) => {
        refusal(damaged(serialiseProjectFile(file, format), damage), format);
      }),
      { numRuns: effort(100, 300) },
    );
  });

  test('a file with a wrong value somewhere, with its line', () => {
    const anything = fc.oneof(
      freeValue,
      fc.constantFrom(Number.NaN, [], {}, '', -1, 1.5, Number.POSITIVE_INFINITY),
    );
    fc.assert(
      fc.property(projectFile, fc.infiniteStream(fc.nat()), anything, (file, choices, value) => {
        const changed = structuredClone(file);
        replaceSomewhere(changed, choices, value);
        const error = refusal(serialiseProjectFile(changed, 'yaml'), 'yaml');
        for (const problem of error?.problems ?? []) expect(problem.line).toBeGreaterThan(0);
      }),
      { numRuns: effort(50, 150) },
    );
  });
});

test('a JSON error is reported exactly when JSON.parse throws', () => {
  const almost = fc.tuple(fc.json(), edits).map(([json, damage]) => damaged(json, damage));
  fc.assert(
    fc.property(fc.oneof(fc.json(), almost, fc.string()), (source) => {
      let parses = true;
      try {
        JSON.parse(source);
      } catch {
        parses = false;
      }
      let offset = -1;
      const check = () =>
        checkJson(source, (at) => {
          offset = at;
          throw new Error('not JSON');
        });
      if (parses) expect(check).not.toThrow();
      else expect(check).toThrow('not JSON');
      expect(offset).toBeLessThanOrEqual(source.length);
    }),
    { numRuns: effort(666, 2_000) },
  );
});

/** Descends into the data by random choices and replaces the value at the end. */
function replaceSomewhere(data: object, choices: Iterator<number>, value: unknown): void {
  let place = data as Record<string, unknown>;
  while (true) {
    const names = Object.keys(place);
    const field = names[choices.next().value % names.length];
    if (field === undefined) return;
    const below = place[field];
    const goesOn = choices.next().value % 4 !== 0 && typeof below === 'object' && below !== null;
    if (!goesOn || Object.keys(below).length === 0) {
      place[field] = value;
      return;
    }
    place = below as Record<string, unknown>;
  }
}
