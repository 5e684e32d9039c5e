import { hkdfSync } from 'node:crypto';
import type { Role } from '@session-launch/contract/roles';
import { roles } from '@session-launch/contract/roles';
import { EncryptJWT, jwtDecrypt } from 'jose';
import type { Configuration, DiscoveryRequestOptions } from 'openid-client';
import type { OidcSettings } from '../config/config.ts';
import { isLoopback } from '../config/values.ts';

/** A person whom the identity provider has authenticated. */
export interface Identity {
  issuer: string;
  subject: string;
  name: string;
  /** Absent: the person may not sign in. */
  role: Role | undefined;
}

/** Seconds to sign in at the identity provider. */
export const oidcSeconds = 600;
const timeoutSeconds = 10;
const maxNameLength = 200;

/** What the browser keeps, encrypted, while it is at the identity provider. */
interface Pending {
  state: string;
  nonce: string;
  verifier: string;
  redirectUri: string;
  returnTo: string;
  /** Id of the login that the browser had. Its cookie is not sent when the provider redirects back. */
  replaces?: string | undefined;
}

/** What the console needs again after the sign-in. */
export type Kept = Pick<Pending, 'returnTo' | 'replaces'>;

/** Signs people in through an OpenID Connect provider: authorization code with PKCE, state and nonce. */
export class IdentityProvider {
  readonly name: string;
  readonly #settings: OidcSettings;
  /** All processes have the client secret, so each can decrypt what another one has encrypted. */
  readonly #key: Uint8Array;
  #discovered: Promise<Configuration> | undefined;

  constructor(settings: OidcSettings) {
    this.#settings = settings;
    this.name = new URL(settings.issuer).host;
    this.#key = new Uint8Array(hkdfSync('sha256', settings.clientSecret, '', 'console sign-in', 32));
  }

  /** Where to send the browser, and the cookie that it must bring back. */
  async start(redirectUri: string, kept: Kept): Promise<{ url: string; cookie: string }> {
    const client = await import('openid-client');
    const configuration = await this.#configuration();
    const pending: Pending = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      redirectUri,
      ...kept,
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
    });
    const cookie = await new EncryptJWT({ ...pending })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(`${oidcSeconds}s`)
      .encrypt(this.#key);
    return { url: url.href, cookie };
  }

  /** Exchanges the code of the callback. Throws if the answer, the cookie or the ID token is not valid. */
  async finish(search: string, cookie: string): Promise<{ identity: Identity; kept: Kept }> {
    const client = await import('openid-client');
    const { payload } = await jwtDecrypt<Pending>(cookie, this.#key);
    const configuration = await this.#configuration();
    const tokens = await client.authorizationCodeGrant(
      configuration,
      new URL(`${payload.redirectUri}${search}`),
      {
        pkceCodeVerifier: payload.verifier,
        expectedState: payload.state,
        expectedNonce: payload.nonce,
        idTokenExpected: true,
      },
    );
    const idToken = tokens.claims()!;
    const { issuer, userinfo_endpoint } = configuration.serverMetadata();
    // Many providers put profile claims only there.
    const userInfo =
      userinfo_endpoint === undefined
        ? {}
        : await client.fetchUserInfo(configuration, tokens.access_token, idToken.sub);
    const claims: Record<string, unknown> = { ...userInfo, ...idToken };
    const identity = { issuer, subject: idToken.sub, name: nameOf(claims), role: this.#roleOf(claims) };
    return { identity, kept: payload };
  }

  #roleOf(claims: Record<string, unknown>): Role | undefined {
    const { roleClaim, defaultRole } = this.#settings;
    const given = [claims[roleClaim]].flat();
    return roles.findLast((role) => given.includes(role)) ?? defaultRole;
  }

  /** Reads the metadata of the provider, once. A failure is not kept. */
  #configuration(): Promise<Configuration> {
    this.#discovered ??= this.#discover().catch((error) => {
      this.#discovered = undefined;
      throw new ProviderUnavailable(`the identity provider ${this.name} cannot be reached`, { cause: error });
    });
    return this.#discovered;
  }

  async #discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.#settings;
    const url = new URL(issuer);
    const options: DiscoveryRequestOptions = {
      timeout: timeoutSeconds,
      ...(isLoopback(url.hostname) ? { execute: [client.allowInsecureRequests] } : {}),
    };
    const basic = client.ClientSecretBasic(clientSecret);
    const post = client.ClientSecretPost(clientSecret);
    return client.discovery(
      url,
      clientId,
      undefined,
      (server, ...rest) => {
        // The default of the specification, if the provider lists none.
        const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
        return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
      },
      options,
    );
  }
}

export class ProviderUnavailable extends Error {}

function nameOf(claims: Record<string, unknown>): string {
  const names = [claims.name, claims.preferred_username, claims.email, claims.sub];
  const name = names.find((one): one is string => typeof one === 'string' && one.trim() !== '');
  return (name ?? 'unknown').replaceAll('\0', '').slice(0, maxNameLength);
}
