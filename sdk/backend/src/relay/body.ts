import { Refused } from './answers.ts';

/** Maximum size of a request body in bytes. */
export const bodyLimit = 8 * 1024;

/** Reads the body as text. Stops at `bodyLimit` and throws a 413. */
export async function readText(request: Request): Promise<string> {
  const reader = request.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  for (let length = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.byteLength;
    if (length > bodyLimit) {
      void reader.cancel().catch(() => {});
      throw new Refused(413, 'PAYLOAD_TOO_LARGE', 'The request body is larger than 8 KiB.');
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** The body as a JSON object. */
export async function readObject(request: Request): Promise<Record<string, unknown>> {
  // HTML forms cannot send this type, and scripts of other origins need a CORS preflight for it.
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('Content-Type') ?? ''))
    throw new Refused(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send the body as Content-Type: application/json.');
  const value = parse(await readText(request));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('', 'must be an object');
  return value as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused(400, 'INVALID_JSON', 'The request body is empty or is not valid JSON.');
  }
}

export function invalid(path: string, message: string): Refused {
  const details = [{ path, message }];
  return new Refused(400, 'INVALID_REQUEST', 'The request is not valid; see details.', { details });
}
