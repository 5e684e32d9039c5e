import type { TokenSigner } from './signer.ts';

/**
 * Signs these claims (JSON). Ed25519 is deterministic: the same claims and key give the same bytes, so tokens need not be stored for
 * replays. If the key is no longer in the key set, the current one signs.
 */
export function signSessionToken(
  signer: TokenSigner,
  claims: string,
  keyId: string,
): string | Promise<string> {
  const key = signer.keys.find(keyId) ?? signer.keys.current;
  return signer.sign(key, claims);
}
