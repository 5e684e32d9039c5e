import { Refused } from './answers.ts';

/**
 * CSRF protection: throws a 403 unless the request comes from a page of the application itself or of a listed origin.
 * `Sec-Fetch-Site` decides if the browser sends it, because proxies may change `Host`. Otherwise the host of `Origin` must equal
 * `Host`.
 */
export function requireSameOrigin(request: Request, origins: ReadonlySet<string>): void {
  const origin = request.headers.get('Origin');
  const site = request.headers.get('Sec-Fetch-Site');
  if (site === 'same-origin') return;
  if (origin !== null && origins.has(origin)) return;
  if (site === null && origin !== null && isOwn(origin, request)) return;
  if (site === null && origin === null)
    throw new Refused(403, 'ORIGIN_REQUIRED', 'This address is for pages of this site.');
  throw foreign(origin);
}

/** As `requireSameOrigin`, for GET: browsers omit `Origin` on same-origin GETs, so requests without it are allowed. */
export function refuseOtherOrigins(request: Request, origins: ReadonlySet<string>): void {
  const origin = request.headers.get('Origin');
  const site = request.headers.get('Sec-Fetch-Site');
  if (origin !== null && origins.has(origin)) return;
  if (site === 'same-origin' || site === 'none') return;
  if (site === null && (origin === null || isOwn(origin, request))) return;
  throw foreign(origin);
}

export function foreign(origin: string | null): Refused {
  const more = origin === null ? {} : { details: { origin } };
  return new Refused(403, 'ORIGIN_NOT_ALLOWED', 'This address is for pages of this site only.', more);
}

/** Compares hosts only: behind a proxy that terminates TLS, the scheme of the request is not that of the page. */
function isOwn(origin: string, request: Request): boolean {
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  const host = request.headers.get('Host') ?? new URL(request.url).host;
  const asked = `${page.protocol}//${host}`;
  return page.origin === origin && URL.canParse(asked) && new URL(asked).host === page.host;
}

export function readOrigins(origins: readonly string[] = []): ReadonlySet<string> {
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new TypeError(`origins: ${origin} is not an origin such as https://app.example.com`);
  }
  return new Set(origins);
}
