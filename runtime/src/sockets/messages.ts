import { type ClientMessage, clientMessages } from '@session-launch/contract/runtime/protocol';
import { schemaViolation } from './schema-check.ts';

const schemas = new Map(Object.entries(clientMessages));

export type Read =
  | { kind: 'message'; message: ClientMessage }
  /** A message type that this version does not support. */
  | { kind: 'unknown' }
  | { kind: 'wrong'; type: string; problem: string }
  | { kind: 'notJson' };

/** Parses and validates a text frame. The problem names the field but not its value. */
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
  const schema = schemas.get(type);
  if (schema === undefined) return { kind: 'unknown' };
  const problem = schemaViolation(schema, value);
  return problem === undefined
    ? { kind: 'message', message: value as ClientMessage }
    : { kind: 'wrong', type, problem };
}
