import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { addressOf, isListed } from '@session-launch/process/client-address';
import { bracketed } from '../config/config.ts';
import { isLoopback } from '../config/values.ts';
import { ApiError } from '../primitives/errors.ts';

type Received = Pick<IncomingMessage, 'headers' | 'socket'>;

export interface ConsoleSiteSettings {
  /** ADMIN_URL. */
  adminUrl: string | undefined;
  adminHost: string;
  trustProxy: BlockList | undefined;
}

/** How a browser reaches the admin listener, and the names of its cookies there. */
export interface Access {
  /** The address without a path, as the browser knows it. */
  origin: string;
  isSecure: boolean;
  cookie: string;
  /** Holds the state of a sign-in through the identity provider. */
  oidcCookie: string;
}

/**
 * The addresses under which the console is served. Requests with its cookie, and its files, are accepted only under known host names, so
 * that a name that an attacker points to this machine (DNS rebinding) reaches neither.
 */
export class ConsoleSite {
  readonly #settings: ConsoleSiteSettings;
  readonly #names: ReadonlySet<string>;

  constructor(settings: ConsoleSiteSettings) {
    const { adminUrl, adminHost } = settings;
    this.#settings = settings;
    const names = ['0.0.0.0', '::'].includes(adminHost) ? [] : [bracketed(adminHost).toLowerCase()];
    this.#names = new Set(adminUrl === undefined ? names : [...names, new URL(adminUrl).hostname]);
  }

  /** Throws 421 unless the request names a known host. Every file of the console needs this check. */
  requireKnownHost(request: Received): URL {
    const url = addressed(request.headers);
    if (url === undefined || !(isLoopback(url.hostname) || this.#names.has(url.hostname)))
      throw new ApiError('HOST_NOT_KNOWN', {
        message:
          'The admin listener does not serve the console under this host name. Use localhost, ADMIN_HOST or the host of ADMIN_URL.',
      });
    return url;
  }

  /** How the browser reaches the console. Throws 421 where cookies are not possible: unknown hosts, and plain http except on loopback. */
  access(request: Received): Access {
    const url = this.requireKnownHost(request);
    const isSecure = this.#isSecure(request);
    if (!isSecure && !isLoopback(url.hostname))
      throw new ApiError('HOST_NOT_KNOWN', {
        message:
          'Signing in over plain http is possible only on a loopback address. Use https: set ADMIN_URL to the https address of the proxy, or use localhost.',
      });
    const port = url.port || '80';
    return isSecure
      ? {
          origin: `https://${url.host}`,
          isSecure,
          cookie: '__Host-console',
          oidcCookie: '__Host-console-oidc',
        }
      : { origin: url.origin, isSecure, cookie: `console_${port}`, oidcCookie: `console_oidc_${port}` };
  }

  /** The address of the service for a browser: ADMIN_URL, or the address that the request names. */
  baseOf(access: Access): string {
    return this.#settings.adminUrl ?? access.origin;
  }

  /** The path of the console, with a fragment such as `#/prj_demo`. */
  consolePath(fragment: string): string {
    const { adminUrl } = this.#settings;
    const prefix = adminUrl === undefined ? '' : new URL(adminUrl).pathname.replace(/\/$/, '');
    return `${prefix}/console/${fragment}`;
  }

  /** Whether the browser says that a page of another origin sent the request. An address that a person enters has none. */
  isFromAnotherPage({ headers }: Received): boolean {
    return ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']));
  }

  /** Throws 403 unless the browser says that a page of the console sent the request. */
  requireOwnPage({ headers }: Received, access: Access): void {
    const site = headers['sec-fetch-site'];
    const isOwn = site === undefined ? this.#isOwnOrigin(headers.origin, access) : site === 'same-origin';
    if (!isOwn) throw new ApiError('CROSS_ORIGIN_REFUSED');
  }

  /** The same check for requests without a cookie, which tools send, too: they have neither header. */
  refuseOtherPages(request: Received, access: Access): void {
    const { origin, 'sec-fetch-site': site } = request.headers;
    if (origin !== undefined || site !== undefined) this.requireOwnPage(request, access);
  }

  #isOwnOrigin(origin: string | undefined, access: Access): boolean {
    return origin !== undefined && [access.origin, new URL(this.baseOf(access)).origin].includes(origin);
  }

  #isSecure({ headers, socket }: Received): boolean {
    const { adminUrl, trustProxy } = this.#settings;
    if (adminUrl?.startsWith('https:')) return true;
    const peer = addressOf({ headers: {}, socket }, undefined);
    if (trustProxy === undefined || !isListed(peer, trustProxy)) return false;
    return [headers['x-forwarded-proto']].flat().at(-1)?.split(',').at(-1)?.trim() === 'https';
  }
}

function addressed({ host = '' }: IncomingHttpHeaders): URL | undefined {
  const text = `http://${host}`;
  return host !== '' && URL.canParse(text) ? new URL(text) : undefined;
}

/** The value of a cookie. `undefined` if it is absent, and if it is sent twice: a page on another port of the host can add one. */
export function cookieOf({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  const values = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`));
  return values.length === 1 ? values[0]!.slice(name.length + 1) : undefined;
}

/** A `Set-Cookie` header. Without a value it deletes the cookie. */
export function setCookie(
  { isSecure }: Access,
  name: string,
  value: string | undefined,
  { maxAgeSeconds, sameSite }: { maxAgeSeconds: number; sameSite: 'Strict' | 'Lax' },
): string {
  const age = value === undefined ? 0 : maxAgeSeconds;
  const secure = isSecure ? '; Secure' : '';
  return `${name}=${value ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=${sameSite}${secure}`;
}
