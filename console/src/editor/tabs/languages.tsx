import type { Draft } from '../draft.ts';

export function Languages({ draft }: { draft: Draft }) {
  return <p>{draft.experienceId}</p>;
}
