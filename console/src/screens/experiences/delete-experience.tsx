import { useSignal } from '@preact/signals';
import type { ExperienceSummary } from '@session-launch/contract/admin/experience-schemas';
import { ApiFailure, request } from '../../api/client.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { toast } from '../../state/toasts.ts';
import { experiencesTexts as texts } from '../../texts/experiences.ts';
import { changeStatus } from './actions.ts';

interface DeleteProps {
  experience: ExperienceSummary;
  onChanged(): unknown;
  onClose(): void;
}

/** Asks before an experience is deleted. One that was launched cannot be deleted: then it offers to archive it. */
export function DeleteExperience({ experience, onChanged, onClose }: DeleteProps) {
  const isInUse = useSignal(false);
  const { experienceId, title } = experience;
  const remove = async () => {
    try {
      await request(`experiences/${experienceId}`, { method: 'DELETE' });
      toast(texts.isDeleted(title));
      onClose();
      await onChanged();
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.code !== 'EXPERIENCE_IN_USE') throw error;
      isInUse.value = true;
    }
  };
  if (!isInUse.value)
    return (
      <Confirm
        key="delete"
        title={texts.deleteTitle}
        action={texts.deleteButton}
        isDangerous
        onConfirm={remove}
        onClose={() => {
          if (!isInUse.value) onClose();
        }}
      >
        <p class="wrap">{texts.deleteText(title)}</p>
      </Confirm>
    );
  return (
    <Confirm
      key="archive"
      title={texts.inUseTitle}
      action={texts.archive}
      onConfirm={() => changeStatus(experience, 'archive', texts.isArchived(title), onChanged)}
      onClose={onClose}
    >
      <p class="wrap">{texts.inUseText(title)}</p>
    </Confirm>
  );
}
