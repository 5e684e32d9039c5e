/** The arguments that a model has written as JSON; `undefined` if they are not JSON. Models write nothing for a tool without parameters. */
export function argumentsIn(written: string): unknown {
  if (written.trim() === '') return {};
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}
