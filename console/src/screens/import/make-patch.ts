import type { Planned } from '@session-launch/contract/admin/apply';
import { editsOf } from './file-text.ts';
import { patchOf } from './patch.ts';
import type { ChosenFile } from './plan.ts';

/** A patch that gives a file the values that the service has now. Returns `undefined` if the file is not written in lines. */
export function makePatch({ name, text }: ChosenFile, { changes }: Planned): string | undefined {
  const edits = editsOf(text, changes);
  return edits && patchOf(name, text, edits);
}
