import projectFile from '../../../../project-file.schema.json';
import type { Path } from './path.ts';

/** What the project-file schema says about a field. */
export interface FieldSchema {
  type?: string | string[];
  description?: string;
  default?: unknown;
  examples?: unknown[];
  enum?: unknown[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  required?: string[];
  properties?: Record<string, FieldSchema>;
  items?: FieldSchema;
  additionalProperties?: boolean | FieldSchema;
  anyOf?: FieldSchema[];
}

export const experienceSchema = projectFile.properties.experiences.items as FieldSchema;

/** The schema of the field at a path. The forms take their help, limits and defaults from it. */
export function schemaAt(path: Path): FieldSchema {
  let schema = experienceSchema;
  for (const step of path) {
    const { properties, items, additionalProperties }: FieldSchema = schema;
    const next =
      typeof step === 'number'
        ? items
        : (properties?.[step] ??
          (typeof additionalProperties === 'object' ? additionalProperties : undefined));
    if (next === undefined) throw new Error(`the project-file schema has no ${path.join('.')}`);
    schema = next;
  }
  return schema;
}

/** Whether the field at a path must be there. */
export function isRequired(path: Path): boolean {
  const name = path.at(-1);
  return typeof name === 'string' && (schemaAt(path.slice(0, -1)).required?.includes(name) ?? false);
}

/** Parts of descriptions about how to write a field in a file. */
const notation =
  / (?:By language, as a BCP 47 tag|Write )[^.]*\.$|, (?:as a BCP 47 tag|a path of this service)(?=\.$)/;

/** The description of the field at a path, without how to write it in a file. */
export function helpAt(path: Path): string | undefined {
  return schemaAt(path).description?.replace(notation, '');
}
