import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import { Time } from '../../parts/time.tsx';
import { hashOf } from '../../state/route.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import type { Draft, Experience } from '../draft.ts';

/** What is published, who changed the experience last, and whether it comes from a file. */
export function StateLine({ draft }: { draft: Draft }) {
  const state = draft.saved.value;
  return (
    <div class="state-line">
      <p>
        <strong>{stateText(state)}</strong>
        <span class="soft">
          {' · '}
          {frameTexts.state.changed(state.updatedBy)} <Time at={state.updatedAt} />
        </span>
      </p>
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

function stateText({ experience, publishedRevision, latestRevision }: ExperienceState): string {
  const { state } = frameTexts;
  if ((experience as Experience).status === 'archived') return state.archived(latestRevision);
  if (publishedRevision === undefined) return state.draft(latestRevision);
  if (publishedRevision === latestRevision) return state.published(publishedRevision);
  return state.publishedWithDraft(publishedRevision, latestRevision);
}
