import { projectFileJsonSchema } from '@session-launch/contract/project-file/schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';

test('the schema is valid draft 2020-12, with a title and no absolute id', () => {
  const schema = JSON.parse(projectFileJsonSchema());
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Project file',
    description: expect.any(String),
  });
  expect(schema).not.toHaveProperty('$id');
  expect(() => new Ajv2020({ allowUnionTypes: true }).compile(schema)).not.toThrow();
});

test('every field has a description and valid examples, and its default is valid too', () => {
  const ajv = new Ajv2020({ allowUnionTypes: true });
  const fields = fieldsOf(JSON.parse(projectFileJsonSchema()), '');
  expect(fields.length).toBeGreaterThan(30);
  for (const [path, schema] of fields) {
    expect(schema.description, path).toMatch(/\S/);
    expect(schema.examples?.length, path).toBeGreaterThan(0);
    const valid = ajv.compile(schema);
    for (const example of schema.examples ?? []) expect(valid(example), path).toBe(true);
    if ('default' in schema) expect(valid(schema.default), path).toBe(true);
  }
});

interface Schema {
  description?: string;
  examples?: unknown[];
  default?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
}

function fieldsOf(schema: Schema, path: string): [string, Schema][] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]): [string, Schema][] => [
    [`${path}.${name}`, field],
    ...fieldsOf(field, `${path}.${name}`),
  ]);
  return schema.items ? [...own, ...fieldsOf(schema.items, `${path}[]`)] : own;
}
