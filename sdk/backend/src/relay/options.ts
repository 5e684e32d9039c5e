import type { Grant, MintFields } from './grant.ts';
import { mintFields } from './grant.ts';
import { createLimiter, type Limit, type Limiter } from './limit.ts';
import { readOrigins } from './same-origin.ts';

export interface RelayOptions {
  /** Authenticates the visitor by cookies and headers. If it returns null, the relay responds with 401. */
  authorize(request: Request): Grant | null | Promise<Grant | null>;
  /** Ids of the experiences that pages may launch, or a function that decides. Default: all that the API key may launch. */
  experiences?: string[] | ((experienceId: string, grant: Grant) => boolean);
  /** Rate limit per visitor. Default: 30 per minute, counted in this process. A function can use a shared store; it returns true to allow the request. */
  limit?: Limit;
  /** Fields of the page's request that are used; others are ignored. Default: all of `MintFields`. */
  pageMaySet?: (keyof MintFields)[];
  /** Uses the page's `userId` if the grant has none. It is not verified: enable only if user ids grant no access. */
  acceptUserId?: boolean;
  /** Other origins whose pages may call the relay, such as https://app.example.com. They receive CORS headers. */
  origins?: string[];
  /** Allows pages of `origins` to send cookies (`Access-Control-Allow-Credentials`). Default: false. */
  credentials?: boolean;
  /** The project whose experiences `catalog` lists. */
  projectId?: string;
}

/** The validated options with their defaults applied. */
export interface Rules {
  authorize(request: Request): Promise<Grant | null>;
  mayLaunch(experienceId: string, grant: Grant): Promise<boolean>;
  /** Undefined if `limit` is false. */
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
    throw new TypeError('authorize is required: without it, anyone could mint with your key');
  const unknown = pageMaySet.find((field) => !mintFields.includes(field));
  if (unknown !== undefined) throw new TypeError(`pageMaySet: a page can never set ${unknown}`);
  return {
    authorize: async (request) => authorize.call(options, request),
    mayLaunch: async (experienceId, grant) => {
      if (experiences === undefined) return true;
      if (Array.isArray(experiences)) return experiences.includes(experienceId);
      // Awaited in case a JavaScript caller passes an async function, contrary to the type.
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
