import type { Draft } from '../draft.ts';

export function Gallery({ draft }: { draft: Draft }) {
  return <p>{draft.experienceId}</p>;
}
