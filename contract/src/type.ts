import type TypeBox from 'typebox';
import type { TSchema } from 'typebox';

type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Ref'
  | 'String'
  | 'Tuple'
  | 'Union'
  | 'Unsafe'
>;

type Options = object | undefined;

/** Fields that may be absent: JSON Schema has no word for that where the field stands. */
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
  Ref: (name: string, options: Options) => ({ $ref: name, ...options }),
  String: (options: Options) => ({ type: 'string', ...options }),
  Tuple: (items: TSchema[], options: Options) => ({
    type: 'array',
    additionalItems: false,
    items,
    minItems: items.length,
    ...options,
  }),
  Union: (anyOf: TSchema[], options: Options) => ({ anyOf, ...options }),
  Unsafe: (schema: object) => schema,
};

/**
 * TypeBox, as far as the contract needs it: its types, and the same plain JSON Schema. The library itself has hundreds of modules,
 * and every command would wait for them at its start.
 */
const Type = builders as unknown as Builders;
export default Type;
