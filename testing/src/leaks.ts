/** A secret by the name under which a failing test reports it: a report must not be a leak of its own. */
export type Secrets = Record<string, string>;

/** Places to search, by name. */
export type Places = Record<string, string | Buffer>;

/** Where a secret stands, as it is or in one of the forms in which programs write bytes: hexadecimal, base64. */
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
    // The last character of base64 depends on what follows.
    ' (base64)': bytes.toString('base64').replace(/=+$/, '').slice(0, -1),
    ' (in a URL)': encodeURIComponent(secret),
  };
}
