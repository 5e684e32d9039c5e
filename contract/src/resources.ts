import type { Permission } from './roles.ts';

interface Resource {
  /** The prefix of its ids, if the service gives it one. */
  prefix?: string;
  /** Whether it belongs to a project or to the whole service. */
  scope: 'project' | 'service';
  /** What an operator must be allowed to do to see it, and to be told of its changes. */
  permission: Permission;
  /** The message of its code for unknown ids, such as `KEY_NOT_FOUND`. Absent: the public API has the code, too; see `errors.ts`. */
  notFound?: string;
  /** An id for messages. Absent: the prefix with the beginning of a generated id. */
  example?: string;
}

/**
 * Everything that the admin API can change, by the kind that change notifications name. This table is the source of id prefixes, of the
 * kinds of changes and who is told of them, of the error codes for unknown ids, and of the ids that the command line accepts.
 */
export const resources = {
  project: {
    prefix: 'prj',
    scope: 'project',
    permission: 'read',
    notFound: 'No such project.',
    example: 'prj_demo',
  },
  experience: { prefix: 'exp', scope: 'project', permission: 'read', example: 'exp_cafe' },
  key: { prefix: 'key', scope: 'project', permission: 'read', notFound: 'No such API key.' },
  session: { prefix: 'ses', scope: 'project', permission: 'read' },
  art: { prefix: 'art', scope: 'project', permission: 'read', notFound: 'No such picture.' },
  face: { prefix: 'fac', scope: 'project', permission: 'read', notFound: 'No such face.' },
  webhook: { prefix: 'whk', scope: 'project', permission: 'read', notFound: 'No such webhook.' },
  preview: { prefix: 'pvw', scope: 'project', permission: 'read' },
  user: { scope: 'project', permission: 'read' },
  operator: { prefix: 'opr', scope: 'service', permission: 'manage-service', notFound: 'No such operator.' },
  login: { prefix: 'lgn', scope: 'service', permission: 'manage-service', notFound: 'No such login.' },
} as const satisfies Record<string, Resource>;

export type Kind = keyof typeof resources;

/** Prefixes of ids of things that can be changed. */
export type ResourcePrefix = Extract<(typeof resources)[Kind], { prefix: string }>['prefix'];

/** Prefixes of all ids; audit entries, events of webhooks, requests and calls of tools never change. */
export type IdPrefix = ResourcePrefix | 'aud' | 'evt' | 'req' | 'tcl';

/** The kind of a resource by the prefix of its ids, and an example of an id. */
export function resourceOf(prefix: ResourcePrefix): { kind: string; example: string } {
  const rows: [string, Resource][] = Object.entries(resources);
  const [kind, { example = `${prefix}_01k…` }] = rows.find(([, row]) => row.prefix === prefix)!;
  return { kind, example };
}
