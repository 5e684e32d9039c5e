import { describe, expect, test } from 'vitest';
import { describeProblem, ProjectFileError } from '../../src/documents/problem.ts';
import { parseProjectFile, serialiseProjectFile } from '../../src/documents/project-file.ts';

const full = `project:
  id: prj_demo
  name: Demo
  browserEmbeds: true
  allowedOrigins: [http://localhost:5173]
  limits: { mintsPerMinutePerClient: 30, mintsPerMinute: null, sessionsPerDay: 0, concurrentSessions: 5, concurrentSessionsPerClient: 2 }
experiences:
  - id: exp_cafe
    slug: cafe
    title: Café in Lisbon
    sortOrder: -1
    status: published            # draft | published | archived
    public: true
    allowedOrigins: [https://www.example.com]
    avatarId: ines
    thumbnailPath: /avatars/ines/thumb.svg
    galleryThumb: { avatarImage: /avatars/ines/full.svg, backgroundImage: /locations/cafe/wide.svg }
    runtime:
      mode: presenter
      speechInputMode: manual
      languages: { dual: true, default: en, conversation: match, paired: { fixed: pt-PT } }
      characters: [{ characterId: ines, name: Inês, voice: { voiceId: ines-pt }, avatar: { avatarId: ines } }]
      location: { locationId: cafe, scene: { lighting: morning }, assets: [/locations/cafe/wide.svg] }
      transport: { type: websocket, url: wss://runtime.example.com/session, region: eu }
      limits: { idleSeconds: 60 }
      mind: { greeting: { PT-pt: Bom dia! } }
`;

/** The shortest file with an experience; `more` starts at line 9. */
function small(more = ''): string {
  return `project: { id: prj_a, name: A }
experiences:
  - id: exp_a
    slug: a
    title: A
    runtime:
      characters: [{ characterId: a, name: A }]
      transport: { type: websocket, url: ws://localhost:9000 }
${more}`;
}

function problemsOf(text: string, format?: 'yaml' | 'json'): string[] {
  return errorOf(text, format).problems.map(describeProblem);
}

function errorOf(text: string, format?: 'yaml' | 'json'): ProjectFileError {
  try {
    parseProjectFile(text, format);
  } catch (error) {
    expect(error).toBeInstanceOf(ProjectFileError);
    return error as ProjectFileError;
  }
  throw new Error('the file was accepted');
}

const projectOnly = (rest: string) => `project: { id: prj_a, name: A, ${rest} }`;
const withRuntime = (rest: string) => small(`      ${rest}\n`);
const withExperience = (rest: string) => small(`    ${rest}\n`);

describe('a valid file', () => {
  test('is read completely', () => {
    expect(parseProjectFile(full)).toEqual({
      project: {
        id: 'prj_demo',
        name: 'Demo',
        browserEmbeds: true,
        allowedOrigins: ['http://localhost:5173'],
        limits: {
          mintsPerMinutePerClient: 30,
          mintsPerMinute: null,
          sessionsPerDay: 0,
          concurrentSessions: 5,
          concurrentSessionsPerClient: 2,
        },
      },
      experiences: [
        {
          id: 'exp_cafe',
          slug: 'cafe',
          title: 'Café in Lisbon',
          sortOrder: -1,
          status: 'published',
          public: true,
          allowedOrigins: ['https://www.example.com'],
          avatarId: 'ines',
          thumbnailPath: '/avatars/ines/thumb.svg',
          galleryThumb: {
            avatarImage: '/avatars/ines/full.svg',
            backgroundImage: '/locations/cafe/wide.svg',
          },
          runtime: {
            mode: 'presenter',
            speechInputMode: 'manual',
            languages: { dual: true, default: 'en', conversation: 'match', paired: { fixed: 'pt-PT' } },
            characters: [
              {
                characterId: 'ines',
                name: 'Inês',
                voice: { voiceId: 'ines-pt' },
                avatar: { avatarId: 'ines' },
              },
            ],
            location: {
              locationId: 'cafe',
              scene: { lighting: 'morning' },
              assets: ['/locations/cafe/wide.svg'],
            },
            transport: { type: 'websocket', url: 'wss://runtime.example.com/session', region: 'eu' },
            limits: { maxSeconds: 900, idleSeconds: 60 },
            mind: { greeting: { 'pt-PT': ['Bom dia!'] } },
          },
        },
      ],
    });
  });

  test('gets the defaults for omitted fields', () => {
    expect(parseProjectFile(small())).toEqual({
      project: {
        id: 'prj_a',
        name: 'A',
        browserEmbeds: false,
        allowedOrigins: [],
        limits: {
          mintsPerMinutePerClient: 30,
          mintsPerMinute: 600,
          sessionsPerDay: 10_000,
          concurrentSessions: null,
          concurrentSessionsPerClient: null,
        },
      },
      experiences: [
        {
          id: 'exp_a',
          slug: 'a',
          title: 'A',
          sortOrder: 0,
          status: 'draft',
          public: false,
          allowedOrigins: [],
          runtime: {
            mode: 'conversation',
            speechInputMode: 'auto',
            languages: { dual: false, default: 'en', conversation: 'match', paired: 'match' },
            characters: [{ characterId: 'a', name: 'A' }],
            transport: { type: 'websocket', url: 'ws://localhost:9000' },
            limits: { maxSeconds: 900, idleSeconds: 120 },
          },
        },
      ],
    });
  });

  test('may contain only a project', () => {
    expect(parseProjectFile('project: { id: prj_a, name: A }').experiences).toEqual([]);
    expect(parseProjectFile('project: { id: prj_a, name: A }\nexperiences: []').experiences).toEqual([]);
  });

  test('keeps given limits and gets defaults for the others', () => {
    const { limits } = parseProjectFile(projectOnly('limits: { sessionsPerDay: null }')).project;
    expect(limits).toEqual({
      mintsPerMinutePerClient: 30,
      mintsPerMinute: 600,
      sessionsPerDay: null,
      concurrentSessions: null,
      concurrentSessionsPerClient: null,
    });
  });

  test('has its origins normalised and deduplicated', () => {
    const origins = '[HTTPS://Example.com:443/, https://example.com, "https://*.bücher.example"]';
    expect(parseProjectFile(projectOnly(`allowedOrigins: ${origins}`)).project.allowedOrigins).toEqual([
      'https://example.com',
      'https://*.xn--bcher-kva.example',
    ]);
  });

  test('has its language tags in canonical form', () => {
    const file = parseProjectFile(
      withRuntime('languages: { default: EN-us, conversation: { fixed: iw }, paired: { fixed: pt-pt } }'),
    );
    expect(file.experiences[0]?.runtime.languages).toEqual({
      dual: false,
      default: 'en-US',
      conversation: { fixed: 'he' },
      paired: { fixed: 'pt-PT' },
    });
  });

  test('returns the known fields in one order, regardless of their order in the file', () => {
    const shuffled = `experiences:
  - runtime:
      transport: { zone: 2, url: ws://localhost:9000, type: websocket, alpha: 1 }
      characters: [{ voice: { z: 1, a: 2 }, name: A, characterId: a }]
      languages: { paired: match, dual: false }
    title: A
    slug: a
    id: exp_a
project: { name: A, id: prj_a }
`;
    expect(JSON.stringify(parseProjectFile(shuffled).experiences[0]?.runtime)).toBe(
      '{"mode":"conversation","speechInputMode":"auto","languages":{"dual":false,"default":"en","conversation":"match","paired":"match"},' +
        '"characters":[{"characterId":"a","name":"A","voice":{"z":1,"a":2}}],' +
        '"transport":{"type":"websocket","url":"ws://localhost:9000","zone":2,"alpha":1},"limits":{"maxSeconds":900,"idleSeconds":120}}',
    );
  });

  test('may reuse parts by aliases', () => {
    const file = parseProjectFile(withRuntime('location: { a: &scene { light: 1 }, b: *scene }'));
    expect(file.experiences[0]?.runtime.location).toEqual({ a: { light: 1 }, b: { light: 1 } });
    const { limits } = parseProjectFile(
      projectOnly('limits: { mintsPerMinute: &none null, sessionsPerDay: *none }'),
    ).project;
    expect(limits).toMatchObject({ mintsPerMinute: null, sessionsPerDay: null });
  });

  test('may refer by an alias to the last anchor before it, also on a field name', () => {
    const file = parseProjectFile(
      withRuntime('location: { a: &x 1, b: &list [*x], &x c: d, e: *x, f: &x 2, g: *x, h: *list }'),
    );
    expect(file.experiences[0]?.runtime.location).toEqual({
      ...{ a: 1, b: [1], c: 'd', e: 'c', f: 2, g: 2, h: [1] },
    });
  });

  test('may be JSON, with a byte order mark and any line ends', () => {
    const json = '\ufeff{\r\n\t"project": { "id": "prj_a", "name": "A\\u00e9\\/" }\r}\r\n';
    expect(parseProjectFile(json, 'json').project.name).toBe('Aé/');
    expect(parseProjectFile(json.replace('\r}', '\n}')).project.name).toBe('Aé/');
  });

  test('may name its schema for editors, which is not stored', () => {
    const named = '$schema: ../project-file.schema.json\n';
    expect(parseProjectFile(named + small())).toEqual(parseProjectFile(small()));
    expect(parseProjectFile(`# yaml-language-server: $schema=elsewhere.json\n${small()}`)).toEqual(
      parseProjectFile(small()),
    );
    const json = '{ "$schema": "./schema.json", "project": { "id": "prj_a", "name": "A" } }';
    expect(parseProjectFile(json, 'json')).not.toHaveProperty('$schema');
    expect(problemsOf(`$schema: 1\n${small()}`)).toEqual([
      'line 1: $schema is the number 1; put it in quotes: "1"',
    ]);
    expect(problemsOf(withExperience('$schema: x'))).toEqual([expect.stringContaining('unknown field')]);
  });

  test.each(['yaml', 'json'] as const)('is written as %s that reads back the same', (format) => {
    for (const text of [full, small(), 'project: { id: prj_a, name: "no" }']) {
      const file = parseProjectFile(text);
      expect(parseProjectFile(serialiseProjectFile(file, format), format)).toEqual(file);
    }
  });
});

describe('text that is not a project file is rejected:', () => {
  const empty = 'the file is empty; start with "project: { id: prj_demo, name: Demo }"';
  test.each([
    ['nothing', '', empty],
    ['white space', ' \n\t\n', empty],
    ['a comment', '# later\n', empty],
    ['an empty document', '---\n', empty],
    ['a list', '[]', 'line 1: the file is a list; write its fields: project, experiences'],
    ['a word', 'x', 'line 1: the file is the text "x"; write its fields: project, experiences'],
    [
      'two documents',
      'project: { id: prj_a, name: A }\n---\nproject: { id: prj_b, name: B }',
      'line 2: the file has a second document; keep one project in a file and remove this "---"',
    ],
    [
      'a NUL character',
      'project:\n  id: \0',
      'line 2: the file has a NUL character; remove it, and save the file as UTF-8',
    ],
    [
      'more than 4 MiB',
      `# ${'é'.repeat(2 * 1024 * 1024)}`,
      'the file is larger than 4 MiB; keep large data elsewhere and refer to it',
    ],
    [
      'no project',
      'experiences: []',
      'line 1: the file needs the field "project"; add for example project: { id: prj_demo, name: Demo }',
    ],
  ])('%s', (_, text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  test.each([
    ['a tab', 'project:\n\tid: prj_a', 'line 2', 'indent with spaces'],
    ['two colons', 'project:\n  name: a: b', 'line 2', 'put the value in quotes'],
    ['an open quote', 'project:\n  name: "a', 'line 2', 'add the closing quote'],
    ['an open bracket', 'project: {\nexperiences: []', 'line 2', '"{" that was opened above is not closed'],
    ['a reserved character', 'project: @x', 'line 1', 'put the value in quotes'],
    ['a wrong escape', 'project: "\\q"', 'line 1', 'write a backslash as \\\\'],
    ['a line without a colon', 'project:\n  id\n  name: A', 'line 2', 'add the missing ":"'],
    ['a loose bracket', 'project: A\n]', 'line 2', 'check the quotes, brackets and indentation'],
  ])('YAML with %s', (_, text, line, fix) => {
    const [problem] = problemsOf(text);
    expect(problem).toContain(`${line}: the file is not valid YAML: `);
    expect(problem).toContain(fix);
  });

  test.each([
    ['a trailing comma', '{\n  "a": 1,\n}', 'line 3', 'there is a comma before "}"; remove it'],
    ['single quotes', "{'a': 1}", 'line 1', 'use double quotes'],
    ['a comment', '// a\n{}', 'line 1', 'it has a comment'],
    ['a missing end', '{"a": [1', 'line 1', 'it ends too early; close it with "]"'],
    ['a bare word', '{"a": NaN}', 'line 1', '"N" is not expected here; write a value'],
    ['a missing comma', '{"a": 1\n "b": 2}', 'line 2', 'write a comma or "}"'],
    ['a missing colon', '{"a" 1}', 'line 1', 'write a colon after the field name'],
    ['more after its end', '{}\n{}', 'line 2', 'remove everything after the last closing bracket'],
    ['a line break in a text', '{"a": "\n"}', 'line 1', 'write it as \\n'],
    ['an unterminated text', '{"a": "b', 'line 1', 'a text has no closing quote'],
    ['an unknown escape', '{"a": "\\q"}', 'line 1', 'write a backslash as \\\\'],
    ['a wrong number', '{"a": 01}', 'line 1', 'write a comma or "}"'],
    ['an incomplete number', '{"a": 1.}', 'line 1', 'a number is incomplete'],
    [
      'a bare field name',
      '{a: 1}',
      'line 1',
      '"a" is not expected here; write a field name in double quotes',
    ],
    ['a word after a value', '{"a": 1 b}', 'line 1', '"b" is not expected here; write a comma or "}"'],
    ['an end after a comma', '[1,', 'line 1', 'it ends too early; close it with "]"'],
    ['YAML', small(), 'line 1', 'is not expected here'],
  ])('JSON with %s', (_, text, line, fix) => {
    const problems = problemsOf(text, 'json');
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`${line}: the file is not valid JSON: `);
    expect(problems[0]).toContain(fix);
  });

  test.each(['[', '{', '- ', '? ', '{a: ', '[{"a":'])('%s a hundred thousand times', (opener) => {
    expect(problemsOf(opener.repeat(100_000))[0]).toContain('is nested more than 32 levels deep');
  });

  test.each(['[', '{"a":'])('JSON with %s a hundred thousand times', (opener) => {
    expect(problemsOf(opener.repeat(100_000), 'json')[0]).toContain('is nested more than 32 levels deep');
  });
});

test('a file with very many problems is rejected with the first thousand', () => {
  expect(
    errorOf(`project: { id: prj_a, name: A }\nexperiences:\n${'- {}\n'.repeat(1_500)}`).problems,
  ).toHaveLength(1_000);
  expect(errorOf(']'.repeat(1_000_000)).problems[0]?.message).toContain('is not valid YAML');
  expect(problemsOf(`project: [${'1,'.repeat(600_000)}]`)).toEqual([
    'line 1: the file has too many values; keep large data elsewhere and refer to it',
  ]);
});

describe('values that are not allowed in a project file are rejected:', () => {
  test.each([
    ['.nan', 'is ".nan", which JSON cannot represent; put it in quotes'],
    ['-.inf', 'is "-.inf", which JSON cannot represent; put it in quotes'],
    ['1e999', 'is "1e999", which JSON cannot represent; put it in quotes'],
    ['12345678901234567890', 'is too large to be kept exactly; put it in quotes: "12345678901234567890"'],
    ['!!binary aGk=', 'has the tag "!!binary"; remove it and write plain text or numbers'],
    ['!!timestamp 2024-01-01', 'has the tag "!!timestamp"; remove it and write plain text or numbers'],
    ['!!set {a, b}', 'has the tag "!!set"; remove it and write plain text or numbers'],
    ['!local a', 'has the tag "!local"; remove it and write plain text or numbers'],
    ['"a\\0"', 'has a NUL character; remove it'],
    ['"\\ud800"', 'has half of a surrogate pair; remove it'],
    [
      '*a',
      'is an alias of "a", which nothing before it defines; define it first, or put the value in quotes if "*" is part of it',
    ],
  ])('%s', (value, message) => {
    expect(problemsOf(withRuntime(`location: { x: ${value} }`))).toEqual([
      `line 9: experiences[0].runtime.location.x ${message}`,
    ]);
  });

  test.each([
    ['1: a', 'has the field name "1", which is not text; put it in double quotes'],
    ['true: a', 'has the field name "true", which is not text; put it in double quotes'],
    ['? [a] : b', 'has a field name that is not text; write a plain name'],
    ['"\\0": a', 'has a field name with a NUL character; remove it'],
    ['__proto__: a', 'has a field named "__proto__"; choose another name'],
    ['<<: { a: 1 }', 'has the merge key "<<", which is not supported; write the fields out'],
    ['a: 1, b: 2, a: 3', 'has the field "a" twice, first on line 9; keep one'],
  ])('the field name in { %s }', (fields, message) => {
    expect(problemsOf(withRuntime(`location: { ${fields} }`))).toEqual([
      `line 9: experiences[0].runtime.location ${message}`,
    ]);
  });

  test('a lone surrogate written raw', () => {
    expect(problemsOf(projectOnly('browserEmbeds: true').replace('A', '\ud800'))).toEqual([
      'line 1: project.name has half of a surrogate pair; remove it',
    ]);
  });

  test('more than 32 levels of nesting', () => {
    // The file, the list, the experience and the runtime are nesting levels 1 to 4.
    const nested = (levels: number) =>
      withRuntime(`location: { x: ${'['.repeat(levels)}${']'.repeat(levels)} }`);
    expect(() => parseProjectFile(nested(27))).not.toThrow();
    expect(problemsOf(nested(28))[0]).toContain('is nested more than 32 levels deep');
    expect(problemsOf(nested(40))[0]).toContain('is nested more than 32 levels deep');
  });

  test('aliases that nest too deeply, contain themselves or expand too far', () => {
    const deep = `location: { a: &a ${'['.repeat(20)}${']'.repeat(20)}, b: ${'['.repeat(10)}*a${']'.repeat(10)} }`;
    expect(problemsOf(withRuntime(deep))[0]).toContain('is nested more than 32 levels deep');
    expect(problemsOf(withRuntime('location: { a: &a [*a] }'))).toEqual([
      'line 9: experiences[0].runtime.location.a[0] is an alias of "a", which contains it; write the value out',
    ]);
    const bomb = ['a: &x0 [1, 1]'];
    for (let i = 1; i < 30; i++) bomb.push(`b${i}: &x${i} [*x${i - 1}, *x${i - 1}]`);
    expect(problemsOf(withRuntime(`location: { ${bomb.join(', ')} }`))[0]).toContain(
      'to more than 10000 values; write the values out',
    );
  });
});

describe('invalid fields and values are reported:', () => {
  test.each([
    [
      'id: prj_',
      'project.id "prj_" must be "prj_" and then 1 to 64 letters, digits, "_" or "-"; for example "prj_demo"',
    ],
    [
      'id: Démo 1',
      'project.id "Démo 1" must be "prj_" and then 1 to 64 letters, digits, "_" or "-"; try "prj_Demo-1"',
    ],
    [
      'id: exp_a',
      'project.id "exp_a" must be "prj_" and then 1 to 64 letters, digits, "_" or "-"; try "prj_a"',
    ],
    ['name: 12', 'project.name is the number 12; put it in quotes: "12"'],
    ['name: true', 'project.name is true; put it in quotes: "true"'],
    ['name: ""', 'project.name is empty; write at least one character, for example Demo'],
    ['name: "  "', 'project.name is blank; write at least one visible character'],
    [`name: ${'é'.repeat(201)}`, 'project.name has 201 characters; shorten it to at most 200'],
    ['browserEmbeds: "true"', 'project.browserEmbeds is the text "true"; write true or false without quotes'],
    ['browserEmbeds: yes', 'project.browserEmbeds is the text "yes"; write true or false without quotes'],
    ['browserEmbeds: 1', 'project.browserEmbeds is the number 1; write true or false'],
    ['browserEmbed: true', 'project has an unknown field "browserEmbed"; did you mean "browserEmbeds"?'],
    [
      'sessionsPerDay: 5',
      'project has an unknown field "sessionsPerDay"; did you mean "limits.sessionsPerDay"?',
    ],
    [
      'colour: red',
      'project has an unknown field "colour"; remove it, since the allowed fields are id, name, browserEmbeds, allowedOrigins, limits',
    ],
    [
      'allowedOrigins: https://a.example',
      'project.allowedOrigins is the text "https://a.example"; write a list, for example [ http://localhost:5173 ]',
    ],
    [
      'limits: 5',
      'project.limits is the number 5; write its fields: mintsPerMinutePerClient, mintsPerMinute, sessionsPerDay, concurrentSessions, concurrentSessionsPerClient',
    ],
    [
      'limits: { mintsPerMinute: "5" }',
      'project.limits.mintsPerMinute is the text "5"; write a whole number without quotes, or null, for example 600',
    ],
    [
      'limits: { mintsPerMinute: 1.5 }',
      'project.limits.mintsPerMinute is the number 1.5; write a whole number, or null, for example 600',
    ],
    ['limits: { mintsPerMinute: -1 }', 'project.limits.mintsPerMinute is -1; it must be at least 0'],
    [
      'limits: { mintsPerMinute: 2147483648 }',
      'project.limits.mintsPerMinute is 2147483648; it must be at most 2147483647',
    ],
    [
      'limits: { mintsPerMinute: }',
      'project.limits.mintsPerMinute is empty; write a whole number, or null for no limit',
    ],
  ])('in a project: %s', (field, problem) => {
    const name = field.slice(0, field.indexOf(':'));
    const others = ['id: prj_a', 'name: A'].filter((other) => !other.startsWith(`${name}:`));
    expect(problemsOf(`project: { ${[...others, field].join(', ')} }`)).toEqual([`line 1: ${problem}`]);
  });

  test.each([
    ['"*"', '"*" would admit every site'],
    ['null', 'is null; write text'],
    ['"null"', '"null" is what sandboxed and local pages send'],
    ['""', 'is refused: an empty entry admits no one'],
    ['http://www.example.com', 'uses http'],
    ['https://a:b@example.com', 'is refused: an entry has a user name or password'],
    ['https://example.com/path', 'has a path'],
    ['"https://*.com"', 'would admit sites of many owners'],
    ['"https://*.github.io"', 'would admit sites of many owners'],
    ['"https://a.*.com"', 'misplaces "*"'],
    ['8080', 'is the number 8080; put it in quotes'],
  ])('an origin: %s', (origin, words) => {
    const problems = problemsOf(projectOnly(`allowedOrigins: [https://ok.example, ${origin}]`));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(words);
    expect(problems[0]).toContain('line 1: project.allowedOrigins[1] ');
    expect(problemsOf(withExperience(`allowedOrigins: [${origin}]`))[0]).toContain(
      'line 9: experiences[0].allowedOrigins[0] ',
    );
  });

  test.each([
    ['sortOrder: 1.5', '.sortOrder is the number 1.5; write a whole number, for example 1'],
    ['sortOrder: 3000000000', '.sortOrder is 3000000000; it must be at most 2147483647'],
    ['sort_order: 1', ' has an unknown field "sort_order"; did you mean "sortOrder"?'],
    ['mode: presenter', ' has an unknown field "mode"; did you mean "runtime.mode"?'],
    ['titles: B', ' has an unknown field "titles"; remove it, since "title" is there already'],
    [
      'status: publish',
      '.status "publish" must be one of draft, published, archived; did you mean "published"?',
    ],
    ['status: on', '.status "on" must be one of draft, published, archived'],
    ['status:', '.status is null but must be one of draft, published, archived'],
    ['public: "false"', '.public is the text "false"; write true or false without quotes'],
    ['avatarId:', '.avatarId is empty; write text, for example ines'],
    ['thumbnailPath: avatars/a.svg', '.thumbnailPath "avatars/a.svg" must start with /avatars/'],
    ['thumbnailPath: /locations/a.svg', '.thumbnailPath "/locations/a.svg" must start with /avatars/'],
    ['thumbnailPath: /avatars/', '.thumbnailPath "/avatars/" must start with /avatars/ and name a file'],
    ['thumbnailPath: /avatars/../a.svg', '.thumbnailPath "/avatars/../a.svg" must start'],
    ['thumbnailPath: /avatars/%2e%2e/a.svg', '.thumbnailPath "/avatars/%2e%2e/a.svg" must start'],
    ['thumbnailPath: /avatars/a%2f%2fb.svg', '.thumbnailPath "/avatars/a%2f%2fb.svg" must start'],
    ['thumbnailPath: /avatars//a.svg', '.thumbnailPath "/avatars//a.svg" must start'],
    ['thumbnailPath: /avatars/a\\b.svg', '.thumbnailPath "/avatars/a\\\\b.svg" must start'],
    ['thumbnailPath: "/avatars/a\\nb.svg"', '.thumbnailPath "/avatars/a\\nb.svg" must start'],
    [
      'thumbnailPath: /avatars/100%.svg',
      '.thumbnailPath "/avatars/100%.svg" has a "%" that starts no valid escape',
    ],
    [
      'galleryThumb: { avatarImage: /avatars/a.svg }',
      '.galleryThumb needs the field "backgroundImage"; add for example backgroundImage: /locations/cafe/wide.svg',
    ],
    [
      'galleryThumb: { avatarImage: /avatars/a.svg, backgroundImage: /avatars/a.svg }',
      '.galleryThumb.backgroundImage "/avatars/a.svg" must start with /locations/',
    ],
  ])('in an experience: %s', (field, problem) => {
    const problems = problemsOf(withExperience(field));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`line 9: experiences[0]${problem}`);
  });

  test.each([
    [
      'speechInputMode: Manual',
      '.speechInputMode "Manual" must be one of auto, manual, off; did you mean "manual"?',
    ],
    ['speechInputMode: off', undefined],
    ['mode: false', '.mode is false but must be one of conversation, presenter'],
    ['languages: { default: en_us }', '.languages.default "en_us" is not a BCP 47 language tag; try "en-US"'],
    [
      'languages: { default: "" }',
      '.languages.default "" is not a BCP 47 language tag; write one such as en or pt-PT',
    ],
    ['languages: { default: und }', '.languages.default "und" is not a BCP 47 language tag'],
    [
      'languages: { conversation: Match }',
      '.languages.conversation "Match" must be match or { fixed: TAG }, such as { fixed: pt-PT }',
    ],
    ['languages: { paired: [pt] }', '.languages.paired is [ pt ] but must be match or { fixed: TAG }'],
    ['languages: { paired: { fixed: x y } }', '.languages.paired.fixed "x y" is not a BCP 47 language tag'],
    ['languages: { paired: { fixed: 1 } }', '.languages.paired.fixed is the number 1; put it in quotes: "1"'],
    [
      'languages: { paired: { fix: pt } }',
      '.languages.paired has an unknown field "fix"; did you mean "fixed"?',
    ],
    ['languages: { paired: {} }', '.languages.paired needs the field "fixed"; add for example fixed: pt-PT'],
    ['location: here', '.location is the text "here"; write its fields, for example { locationId: cafe'],
  ])('in a runtime: %s', (field, problem) => {
    if (problem === undefined) expect(() => parseProjectFile(withRuntime(field))).not.toThrow();
    else expect(problemsOf(withRuntime(field))[0]).toContain(`line 9: experiences[0].runtime${problem}`);
  });

  test.each([
    [
      'characters: [{ characterId: a, name: A }]',
      'characters: []',
      '.characters is an empty list; add at least one',
    ],
    [
      'characterId: a',
      'characterId: a b',
      '.characters[0].characterId "a b" must be 1 to 64 letters, digits, "_" or "-"; try "a-b"',
    ],
    [
      'characterId: a',
      'characterId: 007',
      '.characters[0].characterId is the number 007; put it in quotes: "007"',
    ],
    [
      'name: A }]',
      'name: A, mood: 1 }]',
      '.characters[0] has an unknown field "mood"; remove it, since the allowed fields are characterId, name, voice, avatar',
    ],
    [
      'name: A }]',
      'name: A, voice: alto }]',
      '.characters[0].voice is the text "alto"; write its fields, for example { voiceId: ines-pt }',
    ],
    [
      'name: A }]',
      'name: A, voice: { flite: { pitch: 190 } } }]',
      '.characters[0].voice.flite.pitch is 190; it must be at most 2. Factor of the natural pitch of the voice',
    ],
    [
      'name: A }]',
      'name: A, voice: { flite: { rate: fast } } }]',
      '.characters[0].voice.flite.rate is the text "fast"; write a number, for example 0.9',
    ],
    [
      'name: A }]',
      'name: A, voice: { flite: { rate: "0.9" } } }]',
      '.characters[0].voice.flite.rate is the text "0.9"; write a number without quotes, for example 0.9',
    ],
    [
      'name: A }]',
      'name: A, voice: { flite: { rate: 0 } } }]',
      '.characters[0].voice.flite.rate is 0; it must be at least 0.5. Factor of the usual speed of the voice',
    ],
    [
      'name: A }]',
      'name: A, voice: { flite: { voice: kal } } }]',
      '.characters[0].voice.flite.voice "kal" must be one of slt, rms, awb, kal16; did you mean "kal16"?',
    ],
    [
      'name: A }]',
      'name: A }, { characterId: a, name: B }]',
      '.characters[1].characterId "a" is already used by experiences[0].runtime.characters[0] (line 7); characters of one experience need different ids; change one',
    ],
    ['type: websocket', 'type: webrtc', '.transport.type "webrtc" must be one of websocket, livekit'],
    ['type: websocket, ', '', '.transport needs the field "type"; add for example type: websocket'],
    [
      'ws://localhost:9000',
      'https://localhost:9000',
      '.transport.url "https://localhost:9000" is not a websocket address; write one without spaces, such as "wss://localhost:9000"',
    ],
    ['ws://localhost:9000', 'wss://', '.transport.url "wss://" is not a websocket address'],
    [
      'ws://localhost:9000',
      'wss://a:99999',
      '.transport.url "wss://a:99999" is not a valid address; check its host and port',
    ],
    [
      ', url: ws://localhost:9000 }',
      ' }\n      limits: 5',
      '.limits is the number 5; write its fields: maxSeconds',
    ],
    [
      ', url: ws://localhost:9000 }',
      ' }\n      limits: { maxSeconds: 0 }',
      '.limits.maxSeconds is 0; it must be at least 1',
    ],
  ])('in a runtime: %s as %s', (from, to, problem) => {
    const problems = problemsOf(small().replace(from, to));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^line [789]: /);
    expect(problems[0]).toContain(`experiences[0].runtime${problem}`);
  });

  test('except for a transport without an address', () => {
    const file = parseProjectFile(small().replace(', url: ws://localhost:9000', ', region: eu'));
    expect(file.experiences[0]?.runtime.transport).toEqual({ type: 'websocket', region: 'eu' });
  });

  const many = (count: number) => Array.from({ length: count }, (_, n) => `"t${n}"`).join(', ');
  test.each([
    ['{}', undefined],
    ['{ topics: [{ id: a }, { id: b, then: [a, b] }] }', undefined],
    [
      '[]',
      ' is a list; write its fields: persona, realtime, greeting, fallback, topics, tools, lessons, presentation',
    ],
    ['{ persona: " " }', '.persona is blank; write at least one visible character'],
    [`{ persona: ${'x'.repeat(8001)} }`, '.persona has 8001 characters; shorten it to at most 8000'],
    ['{ greting: { en: A } }', ' has an unknown field "greting"; did you mean "greeting"?'],
    ['{ greeting: Hello }', '.greeting is the text "Hello"; write its fields, for example { en:'],
    ['{ greeting: {} }', '.greeting is empty; write at least one, for example { en:'],
    [
      '{ greeting: { en: [] } }',
      '.greeting.en is an empty list; add at least one, for example Good morning!',
    ],
    ['{ greeting: { en: "" } }', '.greeting.en is empty; write at least one character'],
    ['{ greeting: { en: 5 } }', '.greeting.en is the number 5; put it in quotes: "5"'],
    ['{ greeting: { en: [A, 5] } }', '.greeting.en[1] is the number 5; put it in quotes: "5"'],
    [`{ greeting: { en: [${many(51)}] } }`, '.greeting.en has 51 items; keep at most 50'],
    ['{ greeting: { en_GB: A } }', '.greeting.en_GB "en_GB" is not a BCP 47 language tag; try "en-GB"'],
    ['{ fallback: { English!: A } }', 'is not a BCP 47 language tag; write one such as en or pt-PT'],
    ['{ greeting: { en: A, EN: B } }', '.greeting.EN "EN" is the same language as "en"; keep one'],
    ['{ topics: [{ ask: { en: A } }] }', '.topics[0] needs the field "id"; add for example id: ferries'],
    [
      '{ topics: [{ id: a b }] }',
      '.topics[0].id "a b" must be 1 to 64 letters, digits, "_" or "-"; try "a-b"',
    ],
    [
      '{ topics: [{ id: a }, { id: a }] }',
      '.topics[1].id "a" is used twice in this list; ids must be unique, change one',
    ],
    [
      '{ topics: [{ id: a, then: [b] }] }',
      '.topics[0].then[0] "b" is not a topic of this mind; write one of a',
    ],
    ['{ topics: [{ id: a, tell: { xx_: A } }] }', '.topics[0].tell.xx_ "xx_" is not a BCP 47 language tag'],
    [
      '{ lessons: [{ id: a }] }',
      '.lessons[0] needs the field "say"; add for example say: { pt-PT: Bom dia }',
    ],
    [
      '{ tools: [{ name: a, description: A, url: https://a.example/ }], topics: [{ id: b, then: { tool: a } }] }',
      undefined,
    ],
    [
      '{ tools: [{ name: a b, description: A, url: https://a.example/ }] }',
      '.tools[0].name "a b" must be 1 to 64 letters, digits, "_" or "-"; try "a-b"',
    ],
    [
      '{ tools: [{ name: a, description: A, url: https://a.example/ }, { name: a, description: B, url: https://b.example/ }] }',
      '.tools[1].name "a" is used twice in this list; names must be unique, change one',
    ],
    [
      '{ tools: [{ name: a, description: A, url: ftp://a }] }',
      '.tools[0].url "ftp://a" is not a web address',
    ],
    [
      '{ tools: [{ name: a, description: A, url: http://a.example/ }] }',
      '.tools[0].url must begin with https://, unless it names a loopback address',
    ],
    [
      '{ tools: [{ name: a, description: A, url: https://u:p@a.example/ }] }',
      '.tools[0].url must not contain a user name or password',
    ],
    [
      '{ tools: [{ name: a, description: A, url: https://169.254.169.254/ }] }',
      '.tools[0].url must not name a loopback, private or otherwise reserved address',
    ],
    [
      '{ tools: [{ name: a, description: A, url: https://a.example/, parameters: { type: object, properties: { b: { pattern: (a+)+ } } } }] }',
      '.tools[0].parameters.properties.b.pattern is not supported in parameters; a regular expression',
    ],
    [
      '{ tools: [{ name: a, description: A, url: https://a.example/, parameters: { type: array } }] }',
      '.tools[0].parameters.type must be object',
    ],
    [
      '{ tools: [{ name: a, description: A, url: https://a.example/ }], topics: [{ id: b, then: { tool: c } }] }',
      '.topics[0].then.tool "c" is not a tool of this mind; write one of a',
    ],
    [
      '{ topics: [{ id: b, then: { tool: c } }] }',
      '.topics[0].then.tool "c" is not a tool of this mind; add it to tools',
    ],
    [
      '{ topics: [{ id: b, then: { tol: c } }] }',
      '.topics[0].then has an unknown field "tol"; did you mean "tool"?',
    ],
    [
      '{ tools: [{ name: a, description: A, url: https://a.example/ }], topics: [{ id: b, then: { tool: a, arguments: { people: 2 } } }] }',
      '.topics[0].then.arguments does not match the parameters of "a": people is not a known field.',
    ],
    ['{ presentation: [{ id: a, titel: { en: A } }] }', 'unknown field "titel"; did you mean "title"?'],
  ])('a mind: %s', (mind, problem) => {
    const text = withRuntime(`mind: ${mind}`);
    if (problem === undefined) {
      expect(() => parseProjectFile(text)).not.toThrow();
      return;
    }
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('line 9: experiences[0].runtime.mind');
    expect(problems[0]).toContain(problem);
  });

  test.each([
    ['slug: a', 'slug: Café', '"Café" must be words of a-z and 0-9, joined by "-"; try "cafe"'],
    ['slug: a', 'slug: a--b', '"a--b" must be words of a-z and 0-9, joined by "-"; try "a-b"'],
    [
      'slug: a',
      'slug: "日本"',
      '"日本" must be words of a-z and 0-9, joined by "-"; for example "cafe-in-lisbon"',
    ],
    ['slug: a', 'slug: 123', 'is the number 123; put it in quotes: "123"'],
    ['slug: a', `slug: ${'a'.repeat(65)}`, 'has 65 characters; shorten it to at most 64'],
  ])('a slug: %s as %s', (from, to, problem) => {
    expect(problemsOf(small().replace(from, to))).toEqual([`line 4: experiences[0].slug ${problem}`]);
  });

  test('a misspelt required field as one problem, not two', () => {
    expect(problemsOf(small().replace('title:', 'titel:'))).toEqual([
      'line 5: experiences[0] has an unknown field "titel"; did you mean "title"?',
    ]);
  });

  test('ids and slugs repeated by another experience', () => {
    const second = small().split('\n').slice(2).join('\n');
    expect(problemsOf(small(second))).toEqual([
      'line 9: experiences[1].id "exp_a" is already used by experiences[0] (line 3); ids are unique; change one',
      'line 10: experiences[1].slug "a" is already used by experiences[0] (line 4); slugs are unique in a project; change one',
    ]);
  });
});

describe('the error', () => {
  test('lists every problem in line order, with columns', () => {
    const error = errorOf(`experiences:
  - id: cafe
    slug: Café
    title: 1
    runtime: { characters: [], transport: { type: websocket, url: ws://a } }
project: { id: prj_a, name: A, allowedOrigins: ["*"] }
`);
    expect(error.problems.map(({ line, column, path }) => [line, column, path])).toEqual([
      [2, 9, 'experiences[0].id'],
      [3, 11, 'experiences[0].slug'],
      [4, 12, 'experiences[0].title'],
      [5, 16, 'experiences[0].runtime.characters'],
      [6, 49, 'project.allowedOrigins[0]'],
    ]);
    expect(error.message).toBe(
      'line 2: experiences[0].id "cafe" must be "exp_" and then 1 to 64 letters, digits, "_" or "-"; try "exp_cafe" (and 4 more problems)',
    );
  });

  test('contains the first problem and the number of others', () => {
    expect(errorOf('project: { id: prj_a }').message).toBe(
      'line 1: project needs the field "name"; add for example name: Demo',
    );
    expect(errorOf('project: { nom: A }').message).toMatch(/ \(and 2 more problems\)$/);
    expect(errorOf('project: { nam: A }').message).toMatch(/ \(and 1 more problem\)$/);
  });

  test('has positions in JSON as well', () => {
    const json = '{\n  "project": {\n    "id": "prj_a",\n    "name": 5,\n    "name": "A"\n  }\n}';
    expect(problemsOf(json, 'json')).toEqual([
      'line 4: project.name is the number 5; put it in quotes: "5"',
      'line 5: project has the field "name" twice, first on line 4; keep one',
    ]);
  });

  test('quotes only the start of a long text', () => {
    const [problem] = problemsOf(withExperience(`status: ${'x'.repeat(10_000)}`));
    expect(problem?.length).toBeLessThan(200);
  });
});
