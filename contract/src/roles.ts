/** Roles of operators. */
export const roles = ['viewer', 'creator', 'developer', 'owner'] as const;
export type Role = (typeof roles)[number];

/** What operators may do, with the roles that may do it. The service checks requests with this table; the console hides what it forbids. */
export const permissions = {
  /** Read projects, experiences, sessions, usage and activity. Simulating, checking an origin and planning count as reading. */
  read: ['viewer', 'creator', 'developer', 'owner'],
  /** Create, save, publish and order experiences; pictures and previews. */
  'edit-experiences': ['creator', 'owner'],
  /** Origins, the switch for embeds, test keys, and ending sessions. */
  'run-integration': ['developer', 'owner'],
  /** Live keys, limits, projects, and applying project files. */
  'manage-projects': ['owner'],
  /** Operators, logins of others, signing keys and the doctor. */
  'manage-service': ['owner'],
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof permissions;

/** A permission that some requests of an operation need in addition. */
export interface FurtherPermission {
  permission: Permission;
  /** For people: which requests need it. */
  when: string;
  appliesTo(body: unknown, query: unknown): boolean;
}

export function isPermitted(role: Role, permission: Permission): boolean {
  return (permissions[permission] as readonly Role[]).includes(role);
}
