import { Refused } from './answers.ts';

/**
 * Only pages of the application itself, or of an origin it lists, may ask: other sites could spend its visitors' cookies.
 * Where the browser says how the page is related, that counts; proxies may have changed the Host. Otherwise the Origin
 * must name the host that was asked.
 */
export function requireSameOrigin(request: Request, origins: ReadonlySet<string>): void {
  const origin = request.headers.get('Origin');
  const site = request.headers.get('Sec-Fetch-Site');
  if (site === 'same-origin') return;
  if (origin !== null && origins.has(origin)) return;
  if (site === null && origin !== null && isOwn(origin, request)) return;
  if (site === null && origin === null)
    throw new Refused({
      status: 403,
      code: 'ORIGIN_REQUIRED',
      message: 'This address is for pages of this site.',
    });
  throw foreign(origin);
}

/** Reading needs no Origin, which browsers leave out there; what says that it comes from elsewhere is refused. */
export function refuseOtherOrigins(request: Request, origins: ReadonlySet<string>): void {
  const origin = request.headers.get('Origin');
  const site = request.headers.get('Sec-Fetch-Site');
  if (origin !== null && origins.has(origin)) return;
  if (site === 'same-origin' || site === 'none') return;
  if (site === null && (origin === null || isOwn(origin, request))) return;
  throw foreign(origin);
}

export function foreign(origin: string | null): Refused {
  return new Refused({
    status: 403,
    code: 'ORIGIN_NOT_ALLOWED',
    message: 'This address is for pages of this site only.',
    ...(origin === null ? {} : { details: { origin } }),
  });
}

/** By its host alone: behind a proxy that ends TLS, the scheme of the request says nothing. */
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
