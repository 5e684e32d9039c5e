interface Schema {
  $id?: string;
  $ref?: string;
  type?: string;
  description?: string;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  items?: Schema;
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
  return ['// Written by `npm run emit` from the contract. Do not edit.', '', ...declarations].join('\n');
}

function declaration(schema: Schema, isOpen: boolean): string {
  return `${comment(schema, '')}export interface ${schema.$id} ${objectType(schema, isOpen, '')}\n`;
}

function typeOf(schema: Schema, isOpen: boolean, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.replace(/#$/, '');
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeOf(one, isOpen, indent)).join(' | ');
  if (schema.type === 'array') return arrayOf(typeOf(schema.items ?? {}, isOpen, indent));
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
    return `${comment(field, inner)}${inner}${name}${optional}: ${typeOf(field, isOpen, inner)};\n`;
  });
  const others = additionalProperties === true && isOpen ? `${inner}[field: string]: unknown;\n` : '';
  return `{\n${fields.join('')}${others}${indent}}`;
}

function arrayOf(item: string): string {
  return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function comment({ description }: Schema, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '* /')} */\n`;
}
