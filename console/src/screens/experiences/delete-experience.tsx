import { useSignal } from '@preact/signals';
import type { VersionConflict } from '@session-launch/contract/admin/changes';
import type { ExperienceSummary } from '@session-launch/contract/admin/experience-schemas';
import { ApiFailure, isConflict, request } from '../../api/client.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Time } from '../../parts/time.tsx';
import { hashOf } from '../../state/route.ts';
import { toast } from '../../state/toasts.ts';
import { experiencesTexts as texts } from '../../texts/experiences.ts';
import { inWords } from '../import/plan.ts';
import { changeStatus } from './actions.ts';

interface DeleteProps {
  projectId: string;
  experience: ExperienceSummary;
  onChanged(): unknown;
  onClose(): void;
}

/**
 * Asks before an experience is deleted, and again if another operator has changed it since the list was loaded. One that was launched
 * cannot be deleted: then it offers to archive it.
 */
export function DeleteExperience({ projectId, experience, onChanged, onClose }: DeleteProps) {
  const isInUse = useSignal(false);
  const conflict = useSignal<VersionConflict | undefined>(undefined);
  const { experienceId, title } = experience;
  const version = conflict.value?.version ?? experience.version;
  const remove = async () => {
    try {
      await request('DELETE /admin/experiences/{experienceId}', { params: { experienceId }, version });
    } catch (error) {
      if (error instanceof ApiFailure && error.code === 'EXPERIENCE_IN_USE') isInUse.value = true;
      if (isConflict(error)) {
        conflict.value = error.details;
        void onChanged();
      }
      // Keeps this dialog open, unless another one replaces it.
      throw error;
    }
    toast(texts.isDeleted(title));
    onClose();
    void onChanged();
  };
  if (isInUse.value)
    return (
      <Confirm
        key="archive"
        title={texts.inUseTitle}
        action={texts.archive}
        onConfirm={() =>
          changeStatus({ ...experience, version }, 'archive', texts.isArchived(title), onChanged)
        }
        onClose={onClose}
      >
        <p class="wrap">{texts.inUseText(title)}</p>
      </Confirm>
    );
  return (
    <Confirm
      key={version}
      title={conflict.value === undefined ? texts.deleteTitle : texts.changedTitle}
      action={texts.deleteButton}
      isDangerous
      onConfirm={remove}
      onClose={onClose}
    >
      {conflict.value === undefined ? null : (
        <Changed
          title={title}
          conflict={conflict.value}
          href={hashOf([projectId, 'experiences', experienceId])}
        />
      )}
      <p class="wrap">{texts.deleteText(title)}</p>
    </Confirm>
  );
}

/** Fields that are named before the rest is left out. */
const maxFields = 8;

function Changed({ title, conflict, href }: { title: string; conflict: VersionConflict; href: string }) {
  const { by, at, changes } = conflict;
  return (
    <div class="warning stack" role="alert">
      <p>{texts.changedText(title, by)}</p>
      <p>
        {texts.changedFields} <Time at={at} />
        {changes.length === 0 ? '' : ': '}
        {changes
          .slice(0, maxFields)
          .map(({ path }) => inWords(path))
          .join(', ')}
        {changes.length > maxFields ? '…' : '.'}
      </p>
      <p>
        <LinkButton href={href}>{texts.look}</LinkButton>
      </p>
    </div>
  );
}
