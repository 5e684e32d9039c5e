import type { Grant, MintFields } from './grant.ts';
import { mintFields } from './grant.ts';
import { createLimiter, type Limit, type Limiter } from './limit.ts';
import { readOrigins } from './same-origin.ts';

export interface RelayOptions {
  /** Decides by cookies and headers who is asking. Null is answered with 401. */
  authorize(request: Request): Grant | null | Promise<Grant | null>;
  /** Which experiences pages may launch; all of the project unless given. */
  experiences?: string[] | ((experienceId: string, grant: Grant) => boolean);
  /** How often a visitor may mint; 30 a minute, counted in this process. A function counts elsewhere: true lets pass. */
  limit?: Limit;
  /** Which fields are taken from the page; all of `MintFields` unless given. Others are ignored. */
  pageMaySet?: (keyof MintFields)[];
  /** Takes the page's `userId` where the grant names none. Only for applications whose user ids are no secret and prove nothing. */
  acceptUserId?: boolean;
  /** Origins of other sites whose pages may ask, such as https://app.example.com. Their browsers get CORS headers. */
  origins?: string[];
  /** Lets pages of `origins` send cookies (`Access-Control-Allow-Credentials`); false unless given. */
  credentials?: boolean;
  /** Whose catalog `catalog` shows. */
  projectId?: string;
}

/** The options as the handlers use them. */
export interface Rules {
  authorize(request: Request): Promise<Grant | null>;
  mayLaunch(experienceId: string, grant: Grant): Promise<boolean>;
  /** Absent when nothing is limited. */
  limiter: Limiter | undefined;
  pageMaySet: readonly (keyof MintFields)[];
  acceptUserId: boolean;
  origins: ReadonlySet<string>;
  credentials: boolean;
  projectId: string | undefined;
}

export function readRules(options: RelayOptions): Rules {
  const { authorize, experiences, pageMaySet = mintFields } = options;
  if (typeof authorize !== 'function')
    throw new TypeError('authorize is required: without it, everybody could mint with your key');
  const unknown = pageMaySet.find((field) => !mintFields.includes(field));
  if (unknown !== undefined) throw new TypeError(`pageMaySet: a page can never set ${unknown}`);
  return {
    authorize: async (request) => authorize.call(options, request),
    mayLaunch: async (experienceId, grant) => {
      if (experiences === undefined) return true;
      if (Array.isArray(experiences)) return experiences.includes(experienceId);
      // Awaited, since a promise that somebody returns in plain JavaScript would pass for true.
      return (await experiences(experienceId, grant)) === true;
    },
    limiter: createLimiter(options.limit),
    pageMaySet,
    acceptUserId: options.acceptUserId === true,
    origins: readOrigins(options.origins),
    credentials: options.credentials === true,
    projectId: options.projectId,
  };
}
