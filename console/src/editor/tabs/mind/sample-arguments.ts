/** Arguments that a JSON Schema of parameters describes: examples, defaults and first choices, otherwise empty values. */
export function sampleArguments(parameters: unknown): Record<string, unknown> {
  const sample = sampleOf(parameters, 8);
  return isObject(sample) ? sample : {};
}

function sampleOf(schema: unknown, levels: number): unknown {
  if (!isObject(schema) || levels === 0) return null;
  const { examples, default: byDefault, enum: choices, const: only, type, minimum } = schema;
  const [given] = [examples, [byDefault], choices, [only]].flatMap((list) =>
    Array.isArray(list) && list[0] !== undefined ? [list[0]] : [],
  );
  if (given !== undefined) return given;
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(isObject(schema.properties) ? schema.properties : {}).map(([name, property]) => [
          ...([name, sampleOf(property, levels - 1)] as const),
        ]),
      );
    case 'array':
      return [];
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return typeof minimum === 'number' ? minimum : 1;
    case 'boolean':
      return true;
    default:
      return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
