import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultTexts } from '../src/default-texts.ts';
import { playerAttributes, sourceAttributes } from '../src/elements/attributes.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const types = ['errors', 'experience', 'launch', 'player', 'session']
  .map((name) => read(`src/types/${name}.ts`))
  .join('\n');
const page = read('../../docs/sdk-browser.md');
/** All words in inline code. */
const prose = page.replace(/```.*?```/gs, '');
const named = new Set([...prose.matchAll(/`([^`]+)`/g)].flatMap(([, code]) => code!.match(/[\w-]+/g) ?? []));

const unionOf = (type: string) =>
  [...new RegExp(`type ${type} =([^;]+);`).exec(types)![1]!.matchAll(/'([^']+)'/g)].map(([, word]) => word!);

/** The names of a type's members, which are indented by `indent` spaces. */
function membersOf(name: string, indent: number): string[] {
  const type = new RegExp(`(?:interface|type) ${name}\\b.*?\\{\\n(.*?)\\n {${indent - 2}}\\}`, 's');
  const [, body] = type.exec(types)!;
  return [...body!.matchAll(new RegExp(`^ {${indent}}(?:readonly )?(\\w+)[?(<:]`, 'gm'))].map(
    ([, member]) => member!,
  );
}

test.each([
  ['errors of its own', unionOf('ClientCode')],
  ['states', unionOf('State')],
  ['modes', unionOf('Mode')],
  ['reasons of an end', unionOf('EndReason')],
  ['states of the microphone', unionOf('MicStatus')],
  ['events', membersOf('Events', 2)],
  ['members of an experience', membersOf('Experience', 2)],
  ['members of a microphone', membersOf('Microphone', 2)],
  ['members of the output', membersOf('Output', 2)],
  ['fields of a mint', membersOf('MintFields', 2)],
  ['further options', membersOf('ExperienceOptions', 4)],
  ['options of the player', membersOf('PlayerOptions', 2)],
  ['members of the player', membersOf('Player', 2)],
  ['facts of an error', membersOf('ExperienceError', 2)],
  ['attributes', [...sourceAttributes, ...playerAttributes]],
  ['texts', Object.keys(defaultTexts)],
])('the documentation lists all %s', (_of, names) => {
  expect(names.length).toBeGreaterThan(1);
  expect(names.filter((name) => !named.has(name))).toEqual([]);
});

test('the texts are documented verbatim', () => {
  for (const [key, text] of Object.entries(defaultTexts)) expect(page).toContain(`| \`${key}\` | ${text} |`);
});
