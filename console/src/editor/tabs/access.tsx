import type { Draft } from '../draft.ts';

export function Access({ draft }: { draft: Draft }) {
  return <p>{draft.experienceId}</p>;
}
