import type { TNumberOptions, TObject, TSchemaOptions, TString, TStringOptions } from 'typebox';
import type { IdPrefix } from './resources.ts';
import Type from './type.ts';

/** ISO 8601 in UTC, always with milliseconds. */
export const timestamp = (description: string): TString =>
  Type.String({
    description,
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    examples: ['2026-03-01T09:30:00.000Z'],
  });

/** An object with arbitrary fields, defined by the runtime or by the caller's application. */
const freeForm = (description: string): TObject =>
  Type.Object({}, { additionalProperties: true, description });

/** An id with this prefix, such as `prj`, in a path. */
export const id = (prefix: IdPrefix, description: string, example: string): TString =>
  Type.String({
    pattern: `^${prefix}_`,
    errorMessage: `must start with ${prefix}_`,
    description,
    examples: [example],
  });

/** Present while numbers of sessions are incomplete; `consequence` says which numbers. */
export const counting = (consequence: string) =>
  Type.Optional(
    Type.Literal(true, {
      description: `Present while more sessions have not been counted yet than one request adds up, such as after an upgrade: ${consequence}.`,
    }),
  );

/** Fields that may be absent. */
export const optional = {
  string: (options?: TStringOptions) => Type.Optional(Type.String(options)),
  integer: (options: TNumberOptions) => Type.Optional(Type.Integer(options)),
  boolean: (options?: TSchemaOptions) => Type.Optional(Type.Boolean(options)),
  oneOf: <Values extends string[]>(values: readonly [...Values], options?: TSchemaOptions) =>
    Type.Optional(Type.Enum(values, options)),
  freeForm: (description: string) => Type.Optional(freeForm(description)),
};
