import { canonicalJson } from '../primitives/canonical-json.ts';
import { sha256Hex } from '../primitives/sha256.ts';

/**
 * Two bodies are equal if their RFC 8785 canonical forms are. The body is parsed JSON, already checked for depth, lone surrogates and
 * non-finite numbers, which have no canonical form.
 */
export function fingerprint(body: unknown): string {
  return sha256Hex(canonicalJson(body));
}
