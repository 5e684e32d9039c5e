import { oidcCallbackOperation, oidcStartOperation } from '@session-launch/contract/admin/sign-in';
import type { ErrorCode } from '@session-launch/contract/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestFields } from '../observe/trace.ts';
import { cookieOf, setCookie } from '../operators/console-site.ts';
import { oidcSeconds, ProviderUnavailable } from '../operators/oidc.ts';
import { operatorOf } from '../operators/oidc-operator.ts';
import { signIn } from '../operators/sign-in.ts';
import { ApiError } from '../primitives/errors.ts';
import { giveCookie, signInRequest } from './browser-login.ts';
import type { AdminDeps } from './deps.ts';
import { mount } from './mount.ts';

/** Signing in through the identity provider. These are pages for the browser, so errors lead to the console, too. */
export async function oidcRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { site, identityProvider: provider } = deps;
  // The cookie must come along when the identity provider redirects back, which is a navigation from another site.
  const attributes = { maxAgeSeconds: oidcSeconds, sameSite: 'Lax' } as const;

  mount(app, oidcStartOperation, async ({ query, request, reply }) => {
    if (provider === undefined) return failed(request, reply, notConfigured());
    // A provider that knows the person asks nothing, so another site could replace the operator of this browser unnoticed.
    if (site.isFromAnotherPage(request.raw)) return reply.redirect(site.consolePath(''));
    const access = site.access(request.raw);
    try {
      const redirectUri = `${site.baseOf(access)}/admin/oidc/callback`;
      const { replaces } = await signInRequest(deps, request, access, 'oidc');
      const { url, cookie } = await provider.start(redirectUri, {
        returnTo: query.returnTo ?? '#/',
        replaces,
      });
      reply.header('Set-Cookie', setCookie(access, access.oidcCookie, cookie, attributes));
      return reply.redirect(url);
    } catch (error) {
      return failed(request, reply, error);
    }
  });

  mount(app, oidcCallbackOperation, async ({ request, reply }) => {
    if (provider === undefined) return failed(request, reply, notConfigured());
    const access = site.access(request.raw);
    // Not counted as a failed sign-in: any page can make a browser send this.
    if (cookieOf(request.headers, access.oidcCookie) === undefined)
      return failed(request, reply, new ApiError('LOGIN_FAILED'));
    const returned = await signInRequest(deps, request, access, 'oidc');
    try {
      let returnTo = '#/';
      let problem: unknown = new ApiError('LOGIN_FAILED');
      const cookie = await signIn(deps, returned, async () => {
        const { search } = new URL(request.url, access.origin);
        const pending = cookieOf(request.headers, access.oidcCookie) ?? '';
        const finished = await provider.finish(search, pending).catch((error) => {
          problem = error;
        });
        if (!finished) return undefined;
        returnTo = finished.kept.returnTo;
        returned.replaces ??= finished.kept.replaces;
        if (finished.identity.role === undefined) problem = new ApiError('ROLE_FORBIDDEN');
        return async (tx, write) => {
          const operator = await operatorOf(tx, write, finished.identity);
          return operator && { operator };
        };
      });
      if (cookie === undefined) throw problem;
      giveCookie(reply, access, cookie);
      reply.header('Set-Cookie', setCookie(access, access.oidcCookie, undefined, attributes));
      return reply.redirect(site.consolePath(returnTo));
    } catch (error) {
      return failed(request, reply, error);
    }
  });

  function failed(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    const code: ErrorCode =
      error instanceof ApiError
        ? error.code
        : error instanceof ProviderUnavailable
          ? 'UNAVAILABLE'
          : 'LOGIN_FAILED';
    request.log.warn(
      { ...requestFields(request), err: error, code },
      'signing in through the identity provider failed',
    );
    return reply.redirect(site.consolePath(`#error=${code}`));
  }
}

function notConfigured(): ApiError {
  return new ApiError('NOT_FOUND', { message: 'No identity provider is configured.' });
}
