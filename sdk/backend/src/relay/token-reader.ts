import { ConnectionError } from '../errors.ts';
import type { Settings } from '../settings.ts';

/**
 * Returns a function that verifies a token with the public keys of the configured service and returns its session id, or undefined
 * if it is not valid. The issuer is not checked, because the keys belong to one service. Loads jose on the first call.
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
