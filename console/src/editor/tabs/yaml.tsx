import type { Draft } from '../draft.ts';

export function Yaml({ draft }: { draft: Draft }) {
  return <p>{draft.experienceId}</p>;
}
