import { type ResourcePrefix, resourceOf } from '@session-launch/contract/resources';
import { isId } from '../../primitives/ids.ts';
import { badUsage } from './failure.ts';

/**
 * Throws if a value is not an id, before it becomes part of a URL (`..` would change the route). The message does not
 * contain the value, because it may be an API key pasted by mistake.
 */
export function checkId(prefix: ResourcePrefix, value: string): string {
  if (isId(prefix, value)) return value;
  const { kind, example } = resourceOf(prefix);
  const article = /^[aeio]/.test(kind) ? 'an' : 'a';
  throw badUsage(`${article} ${kind} id looks like ${example}; the one given does not`);
}
