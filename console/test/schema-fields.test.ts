import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { experienceSchema, type FieldSchema } from '../src/editor/document/schema.ts';
import { ofLesson, ofMind, ofRealtime, ofSection, ofTool, ofTopic } from '../src/editor/tabs/mind/form.ts';
import {
  basics,
  limits,
  location,
  ofCharacter,
  ofLivekit,
  transport,
} from '../src/editor/tabs/setup/form.ts';

/** Fields of an experience that no form shows, and why. */
const yamlOnly: Record<string, string> = {
  id: 'names the experience in requests of clients; it cannot be changed',
  sortOrder: 'the list of experiences changes the order',
  status: 'publishing, unpublishing and archiving change it',
};

/** Fields that the forms of Setup and Mind show, from the data that these forms render. */
function shownByForms(): string[] {
  const text = (path: readonly (string | number)[]) => path.join('.');
  const character = (path: readonly (string | number)[]) => `runtime.characters[].${text(path)}`;
  const ofList = (list: string, names: readonly string[]) =>
    names.map((name) => `runtime.mind.${list}[].${name}`);
  const namesOf = (...fields: readonly (readonly { name: string }[])[]) =>
    fields.flat().map(({ name }) => name);
  return [
    ...[...basics, ...location, ...transport, ...ofLivekit, ...limits].map(({ path }) => text(path)),
    character([ofCharacter.id]),
    ...[...ofCharacter.name, ...ofCharacter.voice, ...ofCharacter.avatar].map(({ path }) => character(path)),
    // Written by the dialogs that make a face.
    character(['avatar', 'recipe']),
    ...Object.values(ofMind).map((name) => `runtime.mind.${name}`),
    ...Object.values(ofRealtime).map((name) => `runtime.mind.realtime.${name}`),
    ...ofList(ofTopic.list, [
      ofTopic.id,
      `${ofTopic.followUps}[]`,
      ...Object.values(ofTopic.call).map((name) => `${ofTopic.followUps}.${name}`),
      ...namesOf(ofTopic.question, ofTopic.answer),
    ]),
    ...ofList(ofTool.list, [ofTool.name, ...Object.values(ofTool.fields)]),
    ...ofList(ofLesson.list, [ofLesson.id, ...namesOf(ofLesson.phrase, ofLesson.meaning)]),
    ...ofList(ofSection.list, [ofSection.id, ...namesOf(ofSection.heading, ofSection.text)]),
  ];
}

/** Fields of other tabs. Their sources must name them. */
const otherTabs: Record<string, readonly string[]> = {
  languages: [
    'runtime.languages.dual',
    'runtime.languages.default',
    'runtime.languages.conversation',
    'runtime.languages.conversation.fixed',
    'runtime.languages.paired',
    'runtime.languages.paired.fixed',
  ],
  gallery: [
    'avatarId',
    'thumbnailPath',
    'galleryThumb.avatarImage',
    'galleryThumb.backgroundImage',
    'description',
    'taxonomy.useCases[]',
    'taxonomy.purpose',
    'taxonomy.interactionMode',
    'taxonomy.domain',
    'taxonomy.universe',
    'taxonomy.era',
  ],
  access: ['public', 'allowedOrigins[]'],
};

/** The fields of a schema that have no fields of their own. */
function leavesOf(schema: FieldSchema, path: string): string[] {
  const { properties, items, anyOf } = schema;
  if (properties !== undefined)
    return [
      // A field that is a list or an object.
      ...(items === undefined ? [] : leavesOf(items, `${path}[]`)),
      ...Object.entries(properties).flatMap(([name, field]) =>
        leavesOf(field, path === '' ? name : `${path}.${name}`),
      ),
    ];
  if (items !== undefined && schema.type === 'array') return leavesOf(items, `${path}[]`);
  if (anyOf !== undefined) return anyOf.flatMap((one) => leavesOf(one, path));
  return [path];
}

test('each field of an experience is in a form, or in the YAML tab only for a reason', () => {
  const leaves = [...new Set(leavesOf(experienceSchema, ''))].sort();
  const known = [...shownByForms(), ...Object.values(otherTabs).flat(), ...Object.keys(yamlOnly)].sort();
  expect(known).toEqual(leaves);
});

const folder = new URL('../src/editor/tabs/', import.meta.url);

/** The sources of a tab: its file, the folder of the same name, and its texts, which may list its fields. */
function sourcesOf(tab: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const ofTab = files.filter(
    (name) => /\.tsx?$/.test(name) && (name === `${tab}.tsx` || name.startsWith(`${tab}/`)),
  );
  return [...ofTab, `../../texts/editor/${tab}.ts`]
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n');
}

test.each(Object.entries(otherTabs))('the sources of the tab %s name its fields', (tab, fields) => {
  const sources = sourcesOf(tab);
  const unnamed = fields.filter((field) => !sources.includes(field.replace('[]', '').split('.').at(-1)!));
  expect(unnamed).toEqual([]);
});

test('the forms of Setup and Mind render the data that the first test compares', () => {
  const setup = sourcesOf('setup');
  for (const name of ['basics', 'location', 'limits']) expect(setup).toContain(`fields={${name}}`);
  for (const name of ['name', 'voice', 'avatar']) expect(setup).toContain(`fields={ofCharacter.${name}}`);
  const mind = sourcesOf('mind');
  for (const [name, form] of Object.entries({ ofTopic, ofLesson, ofSection }))
    for (const [part, value] of Object.entries(form))
      expect(mind, `${name}.${part}`).toMatch(
        new RegExp(`${Array.isArray(value) ? 'sides=\\{[^}]*' : ''}${name}\\.${part}\\b`),
      );
});
