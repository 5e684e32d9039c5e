import { ConnectionError } from '../errors.ts';
import type { Settings } from '../settings.ts';

/**
 * Tells the session of a token by the keys of the service that this relay calls: whose keys they are is known, so the issuer
 * need not be. What verifies, jose, is loaded with the first token.
 */
export function tokenReader(settings: Settings): (token: string) => Promise<string | undefined> {
  let verifying: Promise<(token: string) => Promise<string | undefined>> | undefined;
  const load = async () => {
    const { remoteKeys, verifyToken } = await import('../token.ts');
    const keys = remoteKeys(`${settings.baseUrl}/.well-known/jwks.json`, settings.fetch);
    return async (token: string) => {
      try {
        return (await verifyToken(keys, token, { expired: 'accept' })).sub;
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'KEYS_UNAVAILABLE') return undefined;
        throw new ConnectionError('The keys of the service could not be read.', {
          code: 'NETWORK',
          retryable: true,
          attempts: 1,
        });
      }
    };
  };
  return async (token) => {
    verifying ??= load();
    return (await verifying)(token);
  };
}
