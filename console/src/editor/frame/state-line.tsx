import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import { Time } from '../../parts/time.tsx';
import { hashOf } from '../../state/route.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import type { Experience } from '../document/model.ts';
import type { Checked } from '../saving/check.ts';
import type { Draft } from '../saving/draft.ts';

/** What is published, who changed the experience last, whether it comes from a file, and whether there are unsaved changes. */
export function StateLine({ draft, checked }: { draft: Draft; checked: Checked }) {
  const state = draft.saved.value;
  return (
    <div class="state-line">
      <div class="row spread">
        <p>
          <strong>{stateText(state)}</strong>
          <span class="soft">
            {' · '}
            {frameTexts.state.changed(state.updatedBy)} <Time at={state.updatedAt} />
          </span>
        </p>
        {draft.isEditable ? (
          <span class="soft" role="status">
            {statusText(draft, checked)}
          </span>
        ) : null}
      </div>
      {state.managedBy === 'file' ? (
        <p class="warn">
          {state.source === undefined
            ? frameTexts.state.fromSomeFile
            : frameTexts.state.fromFile(state.source)}{' '}
          <a href={hashOf([draft.projectId, 'experiences', draft.experienceId, 'yaml'])}>
            {frameTexts.state.copyYaml}
          </a>
        </p>
      ) : null}
    </div>
  );
}

function statusText(draft: Draft, checked: Checked): string {
  const { status } = frameTexts;
  if (draft.isSaving.value) return status.saving;
  if (!draft.isChanged.value) return status.saved;
  if (draft.text.value !== undefined) return status.notYaml;
  const count = draft.problems.value.length;
  return count > 0 ? status.unsavedProblems(count) : status[checked];
}

function stateText({ experience, publishedRevision, latestRevision }: ExperienceState): string {
  const { state } = frameTexts;
  if ((experience as Experience).status === 'archived') return state.archived(latestRevision);
  if (publishedRevision === undefined) return state.draft(latestRevision);
  if (publishedRevision === latestRevision) return state.published(publishedRevision);
  return state.publishedWithDraft(publishedRevision, latestRevision);
}
