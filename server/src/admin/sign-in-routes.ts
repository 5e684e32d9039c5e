import { loginOperation, type SignIn, signInOperation } from '@session-launch/contract/admin/sign-in';
import type { FastifyInstance } from 'fastify';
import { bodyLimit } from '../http/bodies/json-body.ts';
import { Client } from '../limits/client-address.ts';
import { redeemCode } from '../operators/logins.ts';
import { lockTokenHolder } from '../operators/operators.ts';
import { type FindOperator, signIn } from '../operators/sign-in.ts';
import { ApiError, invalidRequest } from '../primitives/errors.ts';
import { giveCookie, signInRequest } from './browser-login.ts';
import type { AdminDeps } from './deps.ts';
import { isSignedIn, requireMediaType } from './guard.ts';
import { mount } from './mount.ts';
import { oidcRoutes } from './oidc-routes.ts';

/** The routes by which browsers sign in. They need no credentials. */
export async function signInRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { site, authenticator, identityProvider, trustProxy } = deps;
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store, private');
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body));

  const ways: SignIn =
    identityProvider === undefined
      ? { ways: ['link', 'token'] }
      : { ways: ['link', 'token', 'oidc'], oidc: { name: identityProvider.name } };
  mount(app, signInOperation, async ({ request }) =>
    (await isSignedIn(deps, request)) ? { ...ways, signedIn: true } : ways,
  );
  mount(app, loginOperation, async ({ body, request, reply }) => {
    const access = site.access(request.raw);
    site.refuseOtherPages(request.raw, access);
    requireMediaType(request);
    const { code, token } = body;
    if ((code === undefined) === (token === undefined))
      throw invalidRequest([{ path: '', message: 'must have either code or token' }]);
    const verify = async (): Promise<FindOperator | undefined> => {
      if (code !== undefined) return (tx) => redeemCode(tx, code, deps.token, new Date());
      const caller = await authenticator.byToken(token!, new Client(request.raw, trustProxy));
      if (caller?.tokenHash === undefined) return caller && (async () => ({ operator: caller }));
      const { tokenHash } = caller;
      // Read again in the transaction of the login: a login by a token that is being replaced must not survive the replacement.
      return async (tx) => {
        const operator = await lockTokenHolder(tx, tokenHash);
        return operator && { operator };
      };
    };
    const cookie = await signIn(deps, await signInRequest(deps, request, access, 'console'), verify);
    if (cookie === undefined) throw new ApiError('LOGIN_FAILED');
    giveCookie(reply, access, cookie);
    return undefined;
  });
  await app.register(oidcRoutes, deps);
}
