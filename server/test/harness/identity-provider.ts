import { createServer } from 'node:http';
import { listen } from '@session-launch/testing/listen.ts';
import Provider from 'oidc-provider';

export interface TestIdentityProvider {
  issuer: string;
  /** The claims of the person who signs in next. `sub` is the subject. */
  person: Record<string, unknown> & { sub: string };
  /** Registers the client. Called once the redirect addresses are known. */
  register(...redirectUris: string[]): void;
  close(): Promise<void>;
}

export const client = { id: 'session-launch', secret: 'a-client-secret-for-tests-0123456789' };

/** Starts a real OpenID Connect provider whose sign-in page accepts `person` without asking. */
export async function startIdentityProvider(): Promise<TestIdentityProvider> {
  let handle: ReturnType<Provider['callback']> | undefined;
  let provider: Provider;
  const server = createServer(async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return handle?.(request, response);
    try {
      const { prompt, params, session } = await provider.interactionDetails(request, response);
      if (prompt.name === 'login')
        return await provider.interactionFinished(request, response, {
          login: { accountId: known.person.sub },
        });
      const grant = new provider.Grant({ accountId: session?.accountId, clientId: params.client_id });
      grant.addOIDCScope('openid profile email');
      await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
    } catch (error) {
      response.statusCode = 500;
      response.end(String(error));
    }
  });
  const port = await listen(server);
  const issuer = `http://127.0.0.1:${port}`;
  const known: TestIdentityProvider = {
    issuer,
    person: { sub: 'nobody' },
    register: (...redirectUris) => {
      provider = new Provider(issuer, {
        clients: [
          {
            client_id: client.id,
            client_secret: client.secret,
            redirect_uris: redirectUris,
            grant_types: ['authorization_code'],
            response_types: ['code'],
          },
        ],
        pkce: { required: () => true },
        claims: { openid: ['sub'], profile: ['name', 'role'], email: ['email'] },
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
        cookies: { keys: ['a-key-for-tests'] },
        findAccount: (_: unknown, sub: string) => ({
          accountId: sub,
          claims: () => ({ ...known.person, sub }),
        }),
      });
      handle = provider.callback();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return known;
}
