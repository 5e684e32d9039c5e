import { type ClientMessage, clientMessages } from '@session-launch/contract/runtime/protocol';
import { Compile } from 'typebox/compile';

const checks = new Map(Object.entries(clientMessages).map(([type, schema]) => [type, Compile(schema)]));

export type Read =
  | { kind: 'message'; message: ClientMessage }
  /** A type of a later version. */
  | { kind: 'unknown' }
  | { kind: 'wrong'; type: string; problem: string }
  | { kind: 'notJson' };

/** What a text frame says. A problem names the field, never what stood in it. */
export function readMessage(text: string): Read {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'notJson' };
  }
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  if (typeof type !== 'string')
    return { kind: 'wrong', type: 'none', problem: 'A message is an object with a type.' };
  const check = checks.get(type);
  if (check === undefined) return { kind: 'unknown' };
  if (check.Check(value)) return { kind: 'message', message: value as ClientMessage };
  const [first] = check.Errors(value);
  const where = first?.instancePath?.replace(/^\//, '').replaceAll('/', '.') || 'the message';
  return { kind: 'wrong', type, problem: `${where} ${first?.message ?? 'is wrong'}` };
}
