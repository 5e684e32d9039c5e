import type { Draft } from '../draft.ts';

export function Revisions({ draft }: { draft: Draft }) {
  return <p>{draft.experienceId}</p>;
}
