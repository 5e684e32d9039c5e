export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
export type Paths = Record<string, Record<string, JsonObject>>;

/** Components of a document by name. */
type Components = Record<string, JsonObject>;

/** A part of the document that other operations may have as well. */
interface Part {
  value: JsonObject;
  /** The name of its component, and a longer one for the case that another part has that name. */
  names: [string, string];
  replace(reference: JsonObject): void;
}

/** Replaces error responses, parameters and examples that occur several times by references. Returns them by component name. */
export function shareParts(paths: Paths): Record<'responses' | 'parameters' | 'examples', Components> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const responses = share('responses', operations.flatMap(errorResponses));
  return {
    responses,
    parameters: share('parameters', operations.flatMap(parameters)),
    examples: share('examples', [
      ...Object.entries(responses).flatMap(([name, response]) => examples(name, response)),
      ...operations.flatMap((operation) =>
        [operation.requestBody, ...Object.values(operation.responses as JsonObject)].flatMap((body) =>
          examples(idOf(operation), body as JsonObject | undefined),
        ),
      ),
    ]),
  };
}

function share(kind: string, parts: readonly Part[]): Components {
  const components: Components = {};
  const equal = new Map<string, Part[]>();
  for (const part of parts) {
    const text = `${part.names[0]} ${JSON.stringify(part.value)}`;
    const known = equal.get(text);
    if (known) known.push(part);
    else equal.set(text, [part]);
  }
  const several = [...equal.values()].filter(({ length }) => length > 1);
  // The most frequent part gets the short name.
  for (const found of several.sort((a, b) => b.length - a.length)) {
    const { names, value } = found[0]!;
    const name = names.find((one) => !(one in components));
    if (name === undefined) throw new Error(`two ${kind} would be named ${names[1]}`);
    components[name] = value;
    for (const { replace } of found) replace({ $ref: `#/components/${kind}/${name}` });
  }
  return Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function errorResponses(operation: JsonObject): Part[] {
  const responses = operation.responses as Record<string, JsonObject>;
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, value]) => ({
      value,
      names: namesOf(operation, codesOf(value)),
      replace: (reference) => {
        responses[status] = reference;
      },
    }));
}

function parameters(operation: JsonObject): Part[] {
  const list = (operation.parameters ?? []) as JsonObject[];
  return list.map((value, index) => ({
    value,
    names: namesOf(operation, nameOf(String(value.name))),
    replace: (reference) => {
      list[index] = reference;
    },
  }));
}

/** The examples of a body, which belongs to the operation or component of this name. */
function examples(owner: string, body: JsonObject | undefined): Part[] {
  const contents = Object.values((body?.content ?? {}) as Record<string, { examples?: Components }>);
  return contents.flatMap(({ examples: all = {} }) =>
    Object.entries(all).map(([key, value]) => ({
      value,
      names: [nameOf(key), owner + nameOf(key)] as Part['names'],
      replace: (reference: JsonObject) => {
        all[key] = reference;
      },
    })),
  );
}

function namesOf(operation: JsonObject, name: string): Part['names'] {
  return [name, idOf(operation) + name];
}

function idOf({ operationId }: JsonObject): string {
  return capital(String(operationId));
}

/** Such as `InvalidJsonOrInvalidRequest`: the names of the examples, which are the codes of the response, or for 431 `HEADERS_TOO_LARGE`. */
function codesOf({ content }: JsonObject): string {
  const { examples } = (content as Record<string, { examples: JsonObject }>)['application/json']!;
  return Object.keys(examples).map(nameOf).join('Or');
}

/** `INVALID_JSON`, `If-Match` and `projectId` as names of components. */
function nameOf(key: string): string {
  return key
    .split(/[_-]/)
    .map((word) => capital(word === word.toUpperCase() ? word.toLowerCase() : word))
    .join('');
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
