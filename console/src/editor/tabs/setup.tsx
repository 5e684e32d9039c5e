import type { Draft } from '../draft.ts';

export function Setup({ draft }: { draft: Draft }) {
  return <p>{draft.experienceId}</p>;
}
