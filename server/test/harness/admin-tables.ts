import { adminApi } from '@session-launch/contract/admin/api';
import { type ErrorCode, errorTable } from '@session-launch/contract/errors';
import type { DocumentedAnswer, Operation } from '@session-launch/contract/operation';
import { permissions } from '@session-launch/contract/roles';

/** Errors that the page describes once for all operations. */
const common: readonly ErrorCode[] = [
  'INVALID_JSON',
  'INVALID_REQUEST',
  'ADMIN_TOKEN_INVALID',
  'ROLE_FORBIDDEN',
  'CROSS_ORIGIN_REFUSED',
  'HOST_NOT_KNOWN',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
];

/** A response with more fields is shown by the name of its schema. */
const maxFields = 9;

/** The generated tables of docs/admin-api.md by name: one for each tag, and the roles that have each permission. */
export function adminTables(): Map<string, string> {
  const byTag = grouped(adminApi.operations, ({ tag }) => tag.name);
  const tables = new Map([['Permissions', permissionTable()]]);
  for (const [name, operations] of byTag) tables.set(name, operationTable(operations));
  return tables;
}

interface Schema {
  $id?: string;
  anyOf?: Schema[];
  properties?: object;
}

function permissionTable(): string {
  const rows = Object.entries(permissions).map(([name, roles]) => [code(name), roles.map(code).join(', ')]);
  return table(['Permission', 'Roles'], rows);
}

function operationTable(operations: readonly Operation[]): string {
  return table(
    ['Method and path', 'Action', 'Permission', 'Request', 'Response', 'Further errors'],
    operations.map((operation) => [
      code(`${operation.method.toUpperCase()} ${operation.path}`),
      operation.summary,
      permissionOf(operation),
      requestOf(operation),
      Object.entries(operation.answers)
        .map(([status, answer]) => `${status} ${answerOf(answer)}`.trim())
        .join('; '),
      errorsOf(operation),
    ]),
  );
}

function permissionOf({ caller, permission, furtherPermissions = [] }: Operation): string {
  if (caller === 'anyone') return 'no token';
  if (caller !== 'operator') return caller.replace('-', ' ');
  const further = furtherPermissions.map((one) => `; ${code(one.permission)} if ${one.when}`);
  return code(permission!) + further.join('');
}

function requestOf({ headers, query, body, bodies = {} }: Operation): string {
  const media = Object.keys(bodies);
  return [
    fieldsOf(headers),
    query === undefined ? '' : `query: ${fieldsOf(query)}`,
    body === undefined ? '' : `body: ${fieldsOf(body.schema)}`,
    media.length === 0 ? '' : `body: ${media.map(code).join(', ')}`,
  ]
    .filter((part) => part !== '')
    .join('; ');
}

function answerOf({ content, bodies = {} }: DocumentedAnswer): string {
  const media = Object.keys(bodies).map(code);
  if (content === undefined) return media.join(', ');
  const { $id, anyOf, properties = {} } = content.schema as Schema;
  if (anyOf !== undefined) return anyOf.map((one) => code(one.$id!)).join(' or ');
  const fields = Object.keys(properties).length > maxFields ? code($id!) : fieldsOf(content.schema);
  return [fields, ...media.map((type) => `or ${type}`)].join(' ');
}

/** The fields of a schema; optional ones end in a question mark. */
function fieldsOf(schema: { properties?: object; required?: readonly string[] } = {}): string {
  const { properties = {}, required = [] } = schema;
  return Object.keys(properties)
    .map((name) => code(required.includes(name) ? name : `${name}?`))
    .join(', ');
}

function errorsOf({ errors = [] }: Operation): string {
  const own = errors.filter((one) => !common.includes(one));
  return [...grouped(own, (one) => errorTable[one].status)]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => `${status} ${codes.map(code).join(', ')}`)
    .join('; ');
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(header: string[], rows: string[][]): string {
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
