import type TypeBox from 'typebox';
import type { TSchema } from 'typebox';

type Options = object | undefined;

/** Marks a field as optional; JSON Schema records that on the parent object, not on the field. */
const optional = new WeakSet<object>();

const builders = {
  Array: (items: TSchema, options: Options) => ({ type: 'array', items, ...options }),
  Boolean: (options: Options) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly string[], options: Options) => ({ enum: values, ...options }),
  Integer: (options: Options) => ({ type: 'integer', ...options }),
  Literal: (value: unknown, options: Options) => ({ type: typeof value, const: value, ...options }),
  Null: (options: Options) => ({ type: 'null', ...options }),
  Number: (options: Options) => ({ type: 'number', ...options }),
  Object: (properties: Record<string, TSchema>, options: Options) => {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name]!));
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
  },
  Optional: (schema: TSchema) => {
    const marked = { ...schema };
    optional.add(marked);
    return marked;
  },
  String: (options: Options) => ({ type: 'string', ...options }),
  Tuple: (items: TSchema[], options: Options) => ({
    type: 'array',
    additionalItems: false,
    items,
    minItems: items.length,
    ...options,
  }),
  Unknown: (options: Options) => ({ ...options }),
  Union: (anyOf: TSchema[], options: Options) => ({ anyOf, ...options }),
  Unsafe: (schema: object) => schema,
};

/**
 * The part of TypeBox that the contract needs: its types, and constructors for the same plain JSON Schema. Loading the library itself,
 * with its hundreds of modules, would slow the start of every command.
 */
const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>;
export default Type;
