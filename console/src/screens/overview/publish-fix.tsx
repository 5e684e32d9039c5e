import { useSignal } from '@preact/signals';
import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import { isConflict, request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Time } from '../../parts/time.tsx';
import { requestStatus } from '../../state/experience-status.ts';
import { may } from '../../state/me.ts';
import { hashOf } from '../../state/route.ts';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';
import { texts } from '../../texts/texts.ts';

interface PublishFixProps {
  projectId: string;
  experienceId: string;
  onChanged(): unknown;
}

/** A button that publishes the newest revision. The confirmation names the revision, and only that one is published. */
export function PublishFix({ projectId, experienceId, onChanged }: PublishFixProps) {
  const { overview } = texts;
  const asking = useSignal<ExperienceState | undefined>(undefined);
  if (!may('edit-experiences')) return null;
  const ask = async () => {
    asking.value = await request('GET /admin/experiences/{experienceId}', { params: { experienceId } });
  };
  const publish = async ({ version, latestRevision: revision, experience }: ExperienceState) => {
    try {
      await requestStatus(experienceId, 'publish', version, { revision });
    } catch (error) {
      if (!isConflict(error)) throw error;
      await ask();
      throw new Error(overview.changedMeanwhile(asking.value?.updatedBy ?? ''));
    }
    toast(overview.isPublished(titleOf(experience), revision));
    void onChanged();
  };
  const asked = asking.value;
  return (
    <>
      <Button look="primary" onPress={ask}>
        {overview.publish}
      </Button>
      {asked === undefined ? null : (
        <Confirm
          title={overview.publishTitle(asked.latestRevision)}
          action={overview.publish}
          onConfirm={() => publish(asked)}
          onClose={() => set(asking, undefined)}
        >
          <p>{overview.publishText(titleOf(asked.experience), asked.latestRevision)}</p>
          <p class="soft">
            {overview.changed(asked.updatedBy)} <Time at={asked.updatedAt} />.{' '}
            <a href={hashOf([projectId, 'experiences', experienceId, 'mind'])}>{overview.look}</a>
          </p>
        </Confirm>
      )}
    </>
  );
}

function titleOf(experience: ExperienceState['experience']): string {
  return (experience as { title: string }).title;
}
