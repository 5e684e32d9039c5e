import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ApiError, invalidRequest } from '../errors.ts';

export const bodyLimit = 64 * 1024;
/** A client that sends up to this much is heard out: an answer while it still sends would break its connection. */
const heardOut = 16 * 1024 * 1024;
const maxDepth = 32;

/**
 * Reads and parses a request body: JSON media type, at most 64 KiB, then JSON that every later step can handle.
 * Nothing of the request is read before this is called, so earlier checks answer without waiting for a body.
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
  refuseUnfit(value, '', 0);
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

function readBytes(request: IncomingMessage): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > heardOut) return Promise.reject(tooLarge());
  if (request.destroyed) return Promise.reject(cutShort());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (finish: () => void) => {
      request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      finish();
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bodyLimit) chunks.push(chunk);
      else if (length > heardOut) settle(() => reject(tooLarge()));
    };
    const onEnd = () =>
      settle(() => {
        if (length > bodyLimit) reject(tooLarge());
        else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
      });
    const onError = () => settle(() => reject(cutShort()));
    const onClose = () => settle(() => reject(cutShort()));
    request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
}

function tooLarge(): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE');
}

function cutShort(): ApiError {
  return new ApiError('INVALID_JSON', { message: 'The request ended before its body was complete.' });
}

/** What JSON allows and neither the database nor a canonical form can hold. */
function refuseUnfit(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') {
    refuseUnfitText(value, path, 'must not contain');
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value))
      throw invalidRequest([{ path, message: 'is a number too large to represent' }]);
  } else if (typeof value === 'object' && value !== null) {
    if (depth > maxDepth) {
      throw invalidRequest([{ path: '', message: `must not be nested more than ${maxDepth} levels deep` }]);
    }
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) refuseUnfit(item, `${path}[${index}]`, depth + 1);
    } else {
      for (const [field, item] of Object.entries(value)) {
        refuseUnfitText(field, path, 'must not have a field name with');
        refuseUnfit(item, path === '' ? field : `${path}.${field}`, depth + 1);
      }
    }
  }
}

function refuseUnfitText(text: string, path: string, verb: string): void {
  if (text.includes('\0')) throw invalidRequest([{ path, message: `${verb} the NUL character` }]);
  if (!text.isWellFormed()) throw invalidRequest([{ path, message: `${verb} a lone surrogate` }]);
}
