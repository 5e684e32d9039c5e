/** The arguments that a model has written as JSON; `undefined` if they are not JSON. Models write nothing for a tool without parameters. */
export function argumentsIn(written: string): unknown {
  if (written.trim() === '') return {};
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}

/** The arguments of a call in the history that a model gets. Many servers reject a history with arguments that are no JSON object. */
export function repeatable(written: string): string {
  const values = argumentsIn(written);
  const isObject = typeof values === 'object' && values !== null && !Array.isArray(values);
  return isObject && written.trim() !== '' ? written : '{}';
}
