import { isId } from '../../primitives/ids.ts';
import { badUsage } from './failure.ts';

const examples = { prj: 'prj_demo', exp: 'exp_cafe', key: 'key_01k…', opr: 'opr_01k…' } as const;
const names = {
  prj: 'a project id',
  exp: 'an experience id',
  key: 'a key id',
  opr: 'an operator id',
} as const;

/**
 * Throws if a value is not an id, before it becomes part of a URL (`..` would change the route). The message does not
 * contain the value, because it may be an API key pasted by mistake.
 */
export function checkId(prefix: keyof typeof names, value: string): string {
  if (isId(prefix, value)) return value;
  throw badUsage(`${names[prefix]} looks like ${examples[prefix]}; the one given does not`);
}
