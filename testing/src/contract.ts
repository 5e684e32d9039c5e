import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Answer, Call } from './http.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, read freely
type Json = any;

/** A published document, read from the committed file from which clients are generated. */
function published(name: string): Json {
  return JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
}

/** The contract of the public API, and that of the admin listener. */
export const contract: Json = published('openapi.json');
export const adminContract: Json = published('admin-openapi.json');

/** The response, parameter or example itself, where a document refers to one of its components. */
export function partOf({ components }: Json, { $ref, ...part }: Json): Json {
  if ($ref === undefined) return part;
  const [kind, name] = $ref.split('/').slice(-2);
  return components[kind][name];
}

/** The security schemes of an operation, or those that the document has for all operations without their own. */
export function securityOf(document: Json, operation: Json): Json[] {
  return operation.security ?? document.security;
}

/** Throws unless the contract documents this response of the public listener. */
export function checkContract(call: Call, answer: Answer): void {
  publicChecks.check(call, answer);
}

/** Throws unless the contract documents this response of the admin listener. */
export function checkAdminContract(call: Call, answer: Answer): void {
  adminChecks.check(call, answer);
}

/** Checks responses against one document. */
class Checks {
  readonly #contract: Json;
  readonly #undescribed: RegExp;
  readonly #validators = new Map<string, ValidateFunction>();
  #ajv: Ajv2020 | undefined;

  /** `undescribed` matches the paths of web pages and static files, which the contract does not describe. */
  constructor(document: Json, undescribed: RegExp) {
    this.#contract = document;
    this.#undescribed = undescribed;
  }

  check(call: Call, answer: Answer): void {
    const problem = this.#problem(call, answer);
    if (problem === undefined) return;
    const method = call.method ?? 'GET';
    const shown = answer.text.slice(0, 2000);
    throw new Error(`${method} ${call.path} breaks the contract: ${problem}\n${answer.status} ${shown}`);
  }

  #problem(call: Call, answer: Answer): string | undefined {
    const { paths } = this.#contract;
    const method = (call.method ?? 'GET').toUpperCase();
    const path = new URL(call.path, 'http://service').pathname;
    if (answer.headers['x-request-id'] === undefined) return 'X-Request-Id is missing';
    // A path that cannot be percent-decoded matches no route.
    if (!isDecodable(path)) return this.#generic(answer, method, [404]);
    const template = templateOf(Object.keys(paths), path);
    if (template === undefined)
      return this.#undescribed.test(path) ? undefined : this.#generic(answer, method, [404]);

    const described = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = paths[template][described];
    if (operation === undefined) {
      const preflight =
        method === 'OPTIONS' &&
        securityOf(this.#contract, paths[template].post ?? paths[template].get ?? {})?.length === 0;
      if (preflight && answer.status === 204)
        return answer.text === '' ? undefined : 'a preflight has a body';
      return this.#otherMethod(paths[template], answer, method);
    }
    const promised = operation.responses[answer.status];
    if (promised === undefined) return `status ${answer.status} is not documented`;
    const where = promised.$ref ?? `#/paths/${escaped(template)}/${described}/responses/${answer.status}`;
    const response = partOf(this.#contract, promised);
    return this.#headerProblem(response, answer) ?? this.#bodyProblem(response, where, method, answer);
  }

  /** Checks the response to a method that a path does not have: 405, or the refusal of a guard that runs before it. */
  #otherMethod(methods: Json, answer: Answer, method: string): string | undefined {
    const isGuarded = Object.values<Json>(methods).some(
      (operation) => securityOf(this.#contract, operation).length > 0,
    );
    const guard = isGuarded && [401, 403, 421].includes(answer.status);
    if (!guard) return this.#generic(answer, method, [405]);
    return method === 'HEAD' ? undefined : this.#violations('#/components/schemas/Error', answer.json);
  }

  /** Checks errors that belong to no operation: 404 for an unknown path, 405 for a wrong method. */
  #generic(answer: Answer, method: string, statuses: number[]): string | undefined {
    if (!statuses.includes(answer.status)) return `status ${answer.status} is not documented`;
    if (answer.status === 405 && !answer.headers.allow) return 'a 405 without Allow';
    if (method === 'HEAD') return undefined;
    const code = answer.status === 404 ? 'NOT_FOUND' : 'METHOD_NOT_ALLOWED';
    if (answer.json.error?.code !== code) return `a generic ${answer.status} must be ${code}`;
    return this.#violations('#/components/schemas/Error', answer.json);
  }

  #headerProblem(promised: Json, answer: Answer): string | undefined {
    for (const [name, reference] of Object.entries<Json>(promised.headers ?? {})) {
      const header = this.#contract.components.headers[reference.$ref.split('/').at(-1)];
      const value = answer.headers[name.toLowerCase()];
      if (value === undefined) {
        if (header.required) return `the header ${name} is missing`;
        continue;
      }
      const typed = header.schema.type === 'integer' ? Number(value) : String(value);
      const problem = this.#violations(`${reference.$ref}/schema`, typed);
      if (problem !== undefined) return `the header ${name}: ${problem}`;
    }
    return undefined;
  }

  #bodyProblem(promised: Json, where: string, method: string, answer: Answer): string | undefined {
    if (promised.content === undefined || method === 'HEAD') {
      return answer.text === '' ? undefined : 'there is a body where none is documented';
    }
    const type = answer.headers['content-type']?.split(';', 1)[0] ?? '';
    if (promised.content[type] === undefined) return 'the media type is wrong';
    const value = type === 'application/json' ? answer.json : answer.text;
    return this.#violations(`${where}/content/${escaped(type)}/schema`, value);
  }

  #violations(pointer: string, value: unknown): string | undefined {
    this.#ajv ??= validatorOf(this.#contract);
    let validate = this.#validators.get(pointer);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: `contract${pointer}` });
      this.#validators.set(pointer, validate);
    }
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors);
  }
}

const publicChecks = new Checks(
  contract,
  /^\/($|openapi\.json$|docs(\/|$)|reference|preview\/$|avatars\/|locations\/|favicon|site\/|sdk\/)/,
);
const adminChecks = new Checks(adminContract, /^\/($|console(\/|$)|avatars\/|locations\/|favicon)/);

function validatorOf(document: Json): Ajv2020 {
  // `inlineRefs: false` compiles each schema once instead of once per reference. Each schema is used only a few times, so the generated
  // code is not optimised.
  const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } });
  ajv.addFormat('date-time', (text: string) => !Number.isNaN(Date.parse(text)));
  for (const format of ['bcp47', 'return-url']) ajv.addFormat(format, true);
  ajv.addSchema(closed(document), 'contract');
  return ajv;
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** The template of a path; one without a parameter wins over one with it, as in the router. */
function templateOf(templates: string[], path: string): string | undefined {
  return templates.includes(path) ? path : templates.find((candidate) => matches(candidate, path));
}

function matches(template: string, path: string): boolean {
  const parts = template.split('/');
  const given = path.split('/');
  return (
    parts.length === given.length &&
    parts.every((part, i) => (part.startsWith('{') && given[i] !== '') || part === given[i])
  );
}

function escaped(path: string): string {
  return encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Forbids additional properties: clients must ignore unknown fields, but the service must not send undocumented ones. */
function closed(document: Json): Json {
  const copy = structuredClone(document);
  const { schemas } = copy.components;
  const errorFields = schemas.Error.properties.error.properties;
  const openDetails = structuredClone(errorFields.details);
  for (const name of Object.keys(schemas).filter((key) => !key.endsWith('MintRequest'))) close(schemas[name]);
  // The problems of a project file also have a line and a column.
  if (schemas.ProjectFile !== undefined) errorFields.details = openDetails;
  if (schemas.SessionManifest !== undefined) schemas.SessionManifest.additionalProperties = false;
  close(copy.components.responses);
  for (const methods of Object.values<Json>(copy.paths))
    for (const { responses } of Object.values<Json>(methods)) close(responses);
  return copy;
}

function close(schema: Json): void {
  if (typeof schema !== 'object' || schema === null) return;
  if (schema.properties !== undefined) schema.additionalProperties ??= false;
  for (const inner of Object.values(schema)) close(inner);
}
