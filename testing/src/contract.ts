import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Answer, Call } from './http.ts';

/** The published contract, read from the committed file from which clients are generated. */
// biome-ignore lint/suspicious/noExplicitAny: a JSON document, read freely
type Json = any;
export const contract: Json = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
);

const validators = new Map<string, ValidateFunction>();
// `inlineRefs: false` compiles each schema once instead of once per reference. Each schema is used only a few times, so the generated
// code is not optimised.
const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } });
ajv.addFormat('date-time', (text: string) => !Number.isNaN(Date.parse(text)));
for (const format of ['bcp47', 'return-url']) ajv.addFormat(format, true);
ajv.addSchema({ ...contract, components: { ...contract.components, schemas: closedSchemas() } }, 'contract');

/** Paths of web pages and static files, which the contract does not describe. */
const undescribed = /^\/($|openapi\.json$|reference|avatars\/|locations\/|favicon|site\/|sdk\/)/;

/** Throws unless the contract documents this response for this request. */
export function checkContract(call: Call, answer: Answer): void {
  const problem = contractProblem(call, answer);
  if (problem === undefined) return;
  const method = call.method ?? 'GET';
  throw new Error(`${method} ${call.path} breaks the contract: ${problem}\n${answer.status} ${answer.text}`);
}

function contractProblem(call: Call, answer: Answer): string | undefined {
  const method = (call.method ?? 'GET').toUpperCase();
  const path = new URL(call.path, 'http://service').pathname;
  if (answer.headers['x-request-id'] === undefined) return 'X-Request-Id is missing';
  // A path that cannot be percent-decoded matches no route.
  if (!isDecodable(path)) return generic(answer, method, [404]);
  const template = Object.keys(contract.paths).find((candidate) => matches(candidate, path));
  if (template === undefined) return undescribed.test(path) ? undefined : generic(answer, method, [404]);

  const described = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = contract.paths[template][described];
  if (operation === undefined) {
    const preflight = method === 'OPTIONS' && contract.paths[template].post?.security?.length === 0;
    if (preflight && answer.status === 204) return answer.text === '' ? undefined : 'a preflight has a body';
    return generic(answer, method, [405]);
  }
  const promised = operation.responses[answer.status];
  if (promised === undefined) return `status ${answer.status} is not documented`;
  const where = `#/paths/${escaped(template)}/${described}/responses/${answer.status}`;
  return headerProblem(promised, answer) ?? bodyProblem(promised, where, method, answer);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function matches(template: string, path: string): boolean {
  const parts = template.split('/');
  const given = path.split('/');
  return parts.length === given.length && parts.every((part, i) => part.startsWith('{') || part === given[i]);
}

/** Checks errors that belong to no operation: 404 for an unknown path, 405 for a wrong method. */
function generic(answer: Answer, method: string, statuses: number[]): string | undefined {
  if (!statuses.includes(answer.status)) return `status ${answer.status} is not documented`;
  if (answer.status === 405 && !answer.headers.allow) return 'a 405 without Allow';
  if (method === 'HEAD') return undefined;
  const code = answer.status === 404 ? 'NOT_FOUND' : 'METHOD_NOT_ALLOWED';
  if (answer.json.error?.code !== code) return `a generic ${answer.status} must be ${code}`;
  return violations('#/components/schemas/Error', answer.json);
}

function headerProblem(promised: Json, answer: Answer): string | undefined {
  for (const [name, reference] of Object.entries<Json>(promised.headers ?? {})) {
    const header = contract.components.headers[reference.$ref.split('/').at(-1)];
    const value = answer.headers[name.toLowerCase()];
    if (value === undefined) {
      if (header.required) return `the header ${name} is missing`;
      continue;
    }
    const typed = header.schema.type === 'integer' ? Number(value) : value;
    const problem = violations(`${reference.$ref}/schema`, typed);
    if (problem !== undefined) return `the header ${name}: ${problem}`;
  }
  return undefined;
}

function bodyProblem(promised: Json, where: string, method: string, answer: Answer): string | undefined {
  if (promised.content === undefined || method === 'HEAD') {
    return answer.text === '' ? undefined : 'there is a body where none is documented';
  }
  if (!/^application\/json(;|$)/.test(answer.headers['content-type'] ?? '')) return 'the media type is wrong';
  return violations(`${where}/content/application~1json/schema`, answer.json);
}

function violations(pointer: string, value: unknown): string | undefined {
  let validate = validators.get(pointer);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `contract${pointer}` });
    validators.set(pointer, validate);
  }
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}

function escaped(path: string): string {
  return encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Forbids additional properties: clients must ignore unknown fields, but the service must not send undocumented ones. */
function closedSchemas(): Json {
  const schemas = structuredClone(contract.components.schemas);
  for (const name of Object.keys(schemas).filter((key) => !key.endsWith('MintRequest'))) close(schemas[name]);
  schemas.SessionManifest.additionalProperties = false;
  return schemas;
}

function close(schema: Json): void {
  if (typeof schema !== 'object' || schema === null) return;
  if (schema.properties !== undefined) schema.additionalProperties ??= false;
  for (const inner of Object.values(schema)) close(inner);
}
