import type { Draft } from '../../saving/draft.ts';

/** Returns a function that checks whether the saved experience, the draft or its YAML text with errors contains the path of a picture. */
export function mentionsOf({ saved, document, text }: Draft): (path: string) => boolean {
  const written = JSON.stringify([saved.value.experience, document.value, text.value?.text]);
  return (path) => written.includes(path);
}
