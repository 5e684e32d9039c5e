import type { Draft } from '../draft.ts';

export function Mind({ draft }: { draft: Draft }) {
  return <p>{draft.experienceId}</p>;
}
