export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
export type Paths = Record<string, Record<string, JsonObject>>;

/** An error response, with the places of the document that contain it. */
interface Found {
  response: JsonObject;
  firstOperation: string;
  places: { responses: JsonObject; status: string }[];
}

/** Replaces the error responses that several operations have by references. Returns them by component name. */
export function shareErrors(paths: Paths): Record<string, JsonObject> {
  const components: Record<string, JsonObject> = {};
  const several = errorResponses(paths).filter(({ places }) => places.length > 1);
  // The most frequent response gets the short name.
  for (const found of several.sort((a, b) => b.places.length - a.places.length)) {
    const codes = nameOf(found.response);
    const name = codes in components ? capital(found.firstOperation) + codes : codes;
    if (name in components) throw new Error(`two error responses would be named ${name}`);
    components[name] = found.response;
    for (const { responses, status } of found.places)
      responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return components;
}

function errorResponses(paths: Paths): Found[] {
  const byText = new Map<string, Found>();
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const responses = operation.responses as Record<string, JsonObject>;
    for (const [status, response] of Object.entries(responses).filter(([status]) => Number(status) >= 400)) {
      const text = `${status} ${JSON.stringify(response)}`;
      const found = byText.get(text) ?? {
        response,
        firstOperation: String(operation.operationId),
        places: [],
      };
      found.places.push({ responses, status });
      byText.set(text, found);
    }
  }
  return [...byText.values()];
}

/** Such as `InvalidJsonOrInvalidRequest`: the names of the examples, which are the codes of the response, or for 431 `HEADERS_TOO_LARGE`. */
function nameOf({ content }: JsonObject): string {
  const { examples } = (content as Record<string, { examples: JsonObject }>)['application/json']!;
  return Object.keys(examples)
    .map((code) => code.split('_').map(capital).join(''))
    .join('Or');
}

function capital(word: string): string {
  const rest = word.slice(1);
  return word.charAt(0).toUpperCase() + (word === word.toUpperCase() ? rest.toLowerCase() : rest);
}
