interface Schema {
  $id?: string;
  type?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Schema[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
}

/**
 * Renders the schemas as plain TypeScript, for packages that do not depend on this one. Descriptions become comments, so that editors
 * show them.
 */
export function typeDeclarations(answers: readonly object[], requests: readonly object[]): string {
  const declarations = [
    ...answers.map((schema) => declaration(schema as Schema, true)),
    // No index signature, so that the compiler reports a misspelt field.
    ...requests.map((schema) => declaration(schema as Schema, false)),
  ];
  return declarations.join('\n');
}

/** Renders a union of string literals. */
export function unionDeclaration(name: string, values: readonly string[]): string {
  return `export type ${name} =\n${values.map((value) => `  | ${literal(value)}`).join('\n')};\n`;
}

/**
 * Renders values as constants. Nested values become constants of their own, such as `closeCodesFull`: bundlers replace such a constant by
 * its value, and drop unused ones.
 */
export function constantDeclarations(values: object, prefix = ''): string {
  return Object.entries(values)
    .map(([key, value]) => {
      const name = prefix === '' ? key : prefix + key[0]!.toUpperCase() + key.slice(1);
      return typeof value === 'object'
        ? constantDeclarations(value, name)
        : `export const ${name} = ${literal(value)};\n`;
    })
    .join('');
}

function declaration(schema: Schema, isOpen: boolean): string {
  return `${comment(schema, '')}export interface ${schema.$id} ${objectType(schema, isOpen, '')}\n`;
}

function typeOf(schema: Schema, isOpen: boolean, indent: string): string {
  if (schema.$id !== undefined) return schema.$id;
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeOf(one, isOpen, indent)).join(' | ');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.type === 'array') return arrayOf(schema, typeOf(schema.items ?? {}, isOpen, indent));
  if (schema.type === 'object') return objectType(schema, isOpen, indent);
  if (schema.type === 'integer') return 'number';
  if (schema.type === undefined) return 'unknown';
  return schema.type;
}

function objectType(schema: Schema, isOpen: boolean, indent: string): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const names = Object.keys(properties);
  if (typeof additionalProperties === 'object')
    return `Record<string, ${typeOf(additionalProperties, isOpen, indent)}>`;
  if (names.length === 0) return 'Record<string, unknown>';
  const inner = `${indent}  `;
  const fields = names.map((name) => {
    const field = properties[name] ?? {};
    const optional = required.includes(name) ? '' : '?';
    // A named type has its own comment.
    const above = field.$id === undefined ? comment(field, inner) : '';
    return `${above}${inner}${name}${optional}: ${typeOf(field, isOpen, inner)};\n`;
  });
  const others = additionalProperties === true && isOpen ? `${inner}[field: string]: unknown;\n` : '';
  return `{\n${fields.join('')}${others}${indent}}`;
}

function arrayOf({ minItems, maxItems }: Schema, item: string): string {
  if (minItems !== undefined && minItems === maxItems) return `[${Array(minItems).fill(item).join(', ')}]`;
  return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function comment({ description }: Schema, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '* /')} */\n`;
}
