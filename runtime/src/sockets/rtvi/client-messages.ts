import { randomUUID } from 'node:crypto';
import { bounds, type ClientMessage } from '@session-launch/contract/runtime/protocol';
import type { TSchema } from 'typebox';
import { schemaViolation } from '../schema-check.ts';

/** The label of RTVI messages. Messages with another label belong to other protocols on the same transport. */
export const label = 'rtvi-ai';

/** The supported values of `t` in a `client-message`. They are the types of messages in session.v1 that RTVI lacks. */
const requests = new Set(['interrupt', 'audio.start', 'audio.end'] as const);

export type ReadRtvi =
  | { kind: 'ready'; id: string; client: { name: string; version: string } }
  /** A message of session.v1, and for a request of the client also its name. */
  | { kind: 'message'; id: string; message: ClientMessage; request?: string }
  | { kind: 'wrong'; id: string; problem: string }
  /** A message that this runtime does not support. */
  | { kind: 'ignored' }
  | { kind: 'notJson' };

const textSchema = {
  type: 'object',
  required: ['content'],
  properties: { content: { type: 'string', minLength: 1, maxLength: bounds.textCharacters } },
} as TSchema;

/** Translates a message of a client. Problems name the field but not its value. */
export function readRtvi(json: string): ReadRtvi {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { kind: 'notJson' };
  }
  const { label: own, type, data, id: given } = fieldsOf(value);
  if (own !== label) return { kind: 'ignored' };
  const id = typeof given === 'string' ? given.slice(0, 64) : '';
  if (type === 'client-ready') return { kind: 'ready', id, client: clientOf(data) };
  if (type === 'disconnect-bot') return { kind: 'message', id, message: { type: 'bye' } };
  if (type === 'send-text') {
    const problem = schemaViolation(textSchema, data);
    if (problem !== undefined) return { kind: 'wrong', id, problem: `${problem}.` };
    // The ids of RTVI messages are too short to identify a text for the whole session.
    const message = { type: 'text', id: randomUUID(), text: (data as { content: string }).content } as const;
    return { kind: 'message', id, message };
  }
  if (type !== 'client-message') return { kind: 'ignored' };
  for (const request of requests)
    if (request === fieldsOf(data).t) return { kind: 'message', id, message: { type: request }, request };
  return { kind: 'wrong', id, problem: `t must be one of ${[...requests].join(', ')}.` };
}

function clientOf(data: unknown): { name: string; version: string } {
  const { library, library_version: version } = fieldsOf(fieldsOf(data).about);
  const named = (value: unknown, max: number) =>
    typeof value === 'string' && value !== '' ? value.slice(0, max) : 'unknown';
  return { name: named(library, 100), version: named(version, 50) };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
