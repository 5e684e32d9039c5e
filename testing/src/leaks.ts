/** Secrets by name. Failing tests report the name, so that the report does not contain the secret. */
export type Secrets = Record<string, string>;

/** Texts and buffers to search, by name. */
export type Places = Record<string, string | Buffer>;

/** Lists the places that contain a secret, unchanged or encoded: hexadecimal, base64, percent-encoded. */
export function leaks(places: Places, secrets: Secrets): string[] {
  const found: string[] = [];
  const wanted = Object.entries(secrets).flatMap(([name, secret]) =>
    Object.entries(formsOf(secret)).map(([form, text]) => ({ what: `${name}${form}`, text })),
  );
  for (const [place, content] of Object.entries(places)) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    for (const { what, text } of wanted) if (bytes.includes(text)) found.push(`${what} in ${place}`);
  }
  return found;
}

function formsOf(secret: string): Record<string, string> {
  const bytes = Buffer.from(secret);
  return {
    '': secret,
    ' (hexadecimal)': bytes.toString('hex'),
    // The last base64 character depends on the bytes that follow, so it is cut off.
    ' (base64)': bytes.toString('base64').replace(/=+$/, '').slice(0, -1),
    ' (in a URL)': encodeURIComponent(secret),
  };
}
