import { type ApiKeyRecord, type KeyMode, keyModes } from '@session-launch/contract/admin/keys';
import { type Scope, scopes } from '@session-launch/contract/operation';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addById, addList } from './client/commands.ts';
import type { Context } from './client/context.ts';
import { expiryForms, parseExpiry } from './duration.ts';
import { checkId } from './terminal/ids.ts';
import { write, writeJson } from './terminal/io.ts';

export function addKeys(program: Command, context: Context): void {
  const keys = program.command('keys').description('create, list and revoke the API keys of a project');
  addCreate(keys, context);
  const now = new Date();
  addList<ApiKeyRecord>(keys, context, {
    description: 'list the API keys of a project; the secrets are not stored and cannot be shown',
    project: 'project whose keys to list',
    json: 'print an array of key records',
    empty: (project) => `${project} has no keys`,
    columns: {
      'KEY ID': (key) => key.keyId,
      HINT: (key) => key.hint,
      MODE: (key) => key.mode,
      STATE: (key) => stateOf(key, now),
      SCOPES: (key) => key.scopes.join(' '),
      CREATED: (key) => key.createdAt,
      EXPIRES: (key) => key.expiresAt,
      'LAST USED': (key) => key.lastUsedAt,
      NAME: (key) => key.name,
    },
    read: async (admin, { project }) =>
      (await admin().json('keys', 'GET /admin/projects/{projectId}/keys', { params: { projectId: project } }))
        .keys,
  });
  addById(keys, context, {
    name: 'revoke',
    description: 'revoke an API key permanently; revoking it again changes nothing',
    prefix: 'key',
    argument: ['<keyId>', 'id of the key, from keys list'],
    run: async (admin, keyId) => {
      const { revokedAt } = await admin().json('keyId', 'POST /admin/keys/{keyId}/revoke', {
        params: { keyId },
      });
      return `${keyId} is revoked${revokedAt === undefined ? '' : ` since ${revokedAt}`}`;
    },
  });
}

interface CreateOptions {
  project: string;
  mode: KeyMode;
  scope: Scope[];
  name?: string;
  expires?: Date;
  json?: true;
}

function addCreate(keys: Command, { io, admin }: Context): void {
  keys
    .command('create')
    .description('create an API key and print it; it cannot be shown again')
    .requiredOption('--project <id>', 'project the key belongs to')
    .addOption(
      new Option('--mode <mode>', 'live or test; a test key can also launch drafts')
        .choices(keyModes)
        .makeOptionMandatory(),
    )
    .requiredOption(
      '--scope <scope>',
      `permission of the key: ${scopes.join(', ')}; repeat the option for several`,
      addScope,
    )
    .option('--name <name>', 'name of the key, for lists')
    .option('--expires <duration>', `when the key expires: ${expiryForms}`, expiry)
    .option('--json', 'print {"keyId","key"}')
    .addHelpText(
      'after',
      '\nExample:\n  session-launch keys create --project prj_demo --mode live --scope sessions:create --scope sessions:read --expires 90d',
    )
    .action(async (options: CreateOptions) => {
      const project = checkId('prj', options.project);
      const created = await admin().json('key', 'POST /admin/projects/{projectId}/keys', {
        params: { projectId: project },
        body: {
          mode: options.mode,
          scopes: options.scope,
          name: options.name,
          expiresAt: options.expires?.toISOString(),
        },
      });
      const { keyId, key } = created;
      if (options.json) return writeJson(io.stdout, { keyId, key });
      const expires = created.expiresAt === undefined ? 'never expires' : `expires ${created.expiresAt}`;
      await write(
        io.stdout,
        `${key} (${keyId}, ${created.mode}, ${created.scopes.join(' ')}, ${expires}). It is shown only once: store it now.\n`,
      );
    });
}

function addScope(value: string, previous: Scope[] = []): Scope[] {
  const found = scopes.find((scope) => scope === value);
  if (found === undefined) throw new InvalidArgumentError(`Allowed scopes are ${scopes.join(', ')}.`);
  return [...new Set([...previous, found])];
}

function expiry(value: string): Date {
  try {
    return parseExpiry(value, new Date());
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`.replace(/^i/, 'I'));
  }
}

function stateOf(key: ApiKeyRecord, now: Date): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== undefined) return 'revoked';
  return key.expiresAt !== undefined && new Date(key.expiresAt) <= now ? 'expired' : 'active';
}
