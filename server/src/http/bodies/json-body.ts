import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Violation } from '@session-launch/contract/errors';
import { ApiError, invalidRequest } from '../../primitives/errors.ts';

export const bodyLimit = 64 * 1024;
/** Bodies up to this size are read and discarded before the 413 is sent; answering earlier would reset the connection. */
export const discardLimit = 16 * 1024 * 1024;
const maxDepth = 32;

/**
 * Reads and parses a request body: checks the media type, the limit of 64 KiB and the JSON. The body is not read before this is called,
 * so that earlier checks respond without waiting for it.
 */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  requireJson(request);
  const bytes = await readBytes(request);
  return parseJson(bytes);
}

export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new ApiError('INVALID_JSON', { message: 'The request body is empty.' });
  if (!isUtf8(bytes)) throw new ApiError('INVALID_JSON', { message: 'The request body is not valid UTF-8.' });
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ApiError('INVALID_JSON', { message: 'The request body is not valid JSON.' });
  }
  const violation = findUnsupported(value, '', 0);
  if (violation !== undefined) throw invalidRequest([violation]);
  return value;
}

function requireJson(request: IncomingMessage): void {
  const type = request.headers['content-type'];
  if (type === undefined ? !hasBody(request) : /^\s*application\/json\s*(;|$)/i.test(type)) return;
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE');
}

function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Reads the bytes of a body, at most 64 KiB. */
export function readBytes(request: IncomingMessage): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > discardLimit) return Promise.reject(tooLarge());
  if (request.destroyed) return Promise.reject(incomplete());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bodyLimit) chunks.push(chunk);
      else if (length > discardLimit) {
        request.off('data', onData);
        reject(tooLarge());
      }
    };
    let ended = false;
    const onEnd = () => {
      ended = true;
      if (length > bodyLimit) reject(tooLarge());
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    };
    const onLoss = () => {
      if (!ended) reject(incomplete());
    };
    // The listeners are never removed; they are collected together with the request.
    request.on('data', onData).on('end', onEnd).on('error', onLoss).on('close', onLoss);
  });
}

function tooLarge(): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE');
}

function incomplete(): ApiError {
  return new ApiError('INVALID_JSON', { message: 'The request ended before its body was complete.' });
}

/** The first value that JSON allows but that the database or the canonical form cannot represent. */
function findUnsupported(value: unknown, path: string, depth: number): Violation | undefined {
  if (typeof value === 'string') return unsupportedText(value, path, 'must not contain');
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : { path, message: 'is a number too large to represent' };
  if (typeof value !== 'object' || value === null) return undefined;
  // The path would only repeat the nesting.
  if (depth > maxDepth) return { path: '', message: `must not be nested more than ${maxDepth} levels deep` };
  const isList = Array.isArray(value);
  for (const name of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[name];
    const itemPath = isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    const found =
      (isList ? undefined : unsupportedText(name, path, 'must not have a field name with')) ??
      findUnsupported(item, itemPath, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unsupportedText(text: string, path: string, verb: string): Violation | undefined {
  if (text.includes('\0')) return { path, message: `${verb} the NUL character` };
  if (!text.isWellFormed()) return { path, message: `${verb} a lone surrogate` };
  return undefined;
}
