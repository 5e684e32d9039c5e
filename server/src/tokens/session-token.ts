import type { TokenSigner } from './signer.ts';

/**
 * The token with these claims, given as JSON. Ed25519 is deterministic: the same claims and key give the same bytes, so a replay needs
 * no stored token. A key that has left the key set is replaced by the current one.
 */
export function signSessionToken(
  signer: TokenSigner,
  claims: string,
  keyId: string,
): string | Promise<string> {
  const key = signer.keys.find(keyId) ?? signer.keys.current;
  return signer.sign(key, claims);
}
