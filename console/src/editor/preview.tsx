import type { Draft } from './draft.ts';

/** The talking draft beside the form. */
export function Preview({ draft }: { draft: Draft }) {
  return <p>{draft.experienceId}</p>;
}
