import { canonicalJson } from '../canonical-json.ts';
import { sha256Hex } from '../sha256.ts';

/**
 * Two bodies are the same when their RFC 8785 canonical forms are. The body comes from a JSON parser and
 * was checked for depth, lone surrogates and numbers that are not finite, which have no canonical form.
 */
export function fingerprint(body: unknown): string {
  return sha256Hex(canonicalJson(body));
}
