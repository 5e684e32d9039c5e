import { useSignal } from '@preact/signals';
import type {
  ExperienceSummary,
  ExperienceList as List,
} from '@session-launch/contract/admin/experience-schemas';
import { request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Badge, Empty, Show } from '../../parts/notice.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useLoad } from '../../state/load.ts';
import { may } from '../../state/me.ts';
import { hashOf } from '../../state/route.ts';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';
import { texts } from '../../texts.ts';
import { NewExperience } from './new-experience.tsx';
import { OpenEditor } from './open-editor.tsx';

/** The experiences of a project, or the editor of one of them. */
export function Experiences({ projectId, rest: [experienceId, tab] }: { projectId: string; rest: string[] }) {
  if (experienceId === undefined) return <ExperienceList projectId={projectId} />;
  return <OpenEditor key={experienceId} projectId={projectId} experienceId={experienceId} tab={tab} />;
}

/** The experiences of a project, in the order of the catalog. */
function ExperienceList({ projectId }: { projectId: string }) {
  const loaded = useLoad(
    [projectId],
    (signal) => request<List>(`projects/${projectId}/experiences`, { signal }),
    ['experience', 'project'],
  );
  const isCreating = useSignal(false);
  const create = may('edit-experiences') ? (
    <Button look="primary" onPress={() => set(isCreating, true)}>
      {texts.experiences.create}
    </Button>
  ) : null;
  return (
    <Screen title={texts.experiences.title} actions={create}>
      <Show loaded={loaded}>
        {({ experiences }) =>
          experiences.length === 0 ? (
            <Empty title={texts.experiences.empty}>
              <p>{texts.experiences.emptyText}</p>
              {create}
            </Empty>
          ) : (
            <ExperienceTable projectId={projectId} experiences={experiences} onChanged={loaded.reload} />
          )
        }
      </Show>
      {isCreating.value ? (
        <NewExperience
          projectId={projectId}
          onCreated={loaded.reload}
          onClose={() => set(isCreating, false)}
        />
      ) : null}
    </Screen>
  );
}

function ExperienceTable({
  projectId,
  experiences,
  onChanged,
}: {
  projectId: string;
  experiences: ExperienceSummary[];
  onChanged(): unknown;
}) {
  const publish = async ({ experienceId, version, title }: ExperienceSummary) => {
    await request(`experiences/${experienceId}/publish`, { method: 'POST', version });
    toast(texts.experiences.isPublished(title));
    await onChanged();
  };
  return (
    <Table
      caption={texts.experiences.caption}
      rows={experiences}
      keyOf={({ experienceId }) => experienceId}
      columns={[
        {
          title: texts.experiences.name,
          isName: true,
          cell: ({ title, experienceId }) => (
            <span>
              <a href={hashOf([projectId, 'experiences', experienceId])}>
                <bdi>{title}</bdi>
              </a>{' '}
              <code class="soft">{experienceId}</code>
            </span>
          ),
        },
        { title: texts.experiences.state, cell: (experience) => <State experience={experience} /> },
        {
          title: texts.experiences.catalog,
          cell: ({ catalogReady, catalogMissing }) =>
            catalogReady ? texts.experiences.ready : texts.experiences.missing(catalogMissing),
        },
        {
          title: texts.experiences.today,
          isNumber: true,
          cell: ({ sessionsToday }) => sessionsToday.toLocaleString('en'),
        },
        { title: texts.experiences.updated, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
        {
          title: '',
          cell: (experience) =>
            may('edit-experiences') && (experience.hasDraft || experience.publishedRevision === undefined) ? (
              <span class="actions">
                <Button
                  label={texts.experiences.publishOf(experience.title)}
                  onPress={() => publish(experience)}
                >
                  {texts.experiences.publish}
                </Button>
              </span>
            ) : null,
        },
      ]}
    />
  );
}

function State({ experience }: { experience: ExperienceSummary }) {
  const { status, publishedRevision, latestRevision, hasDraft } = experience;
  if (status === 'archived') return <Badge>{texts.experiences.archived}</Badge>;
  return (
    <span class="row">
      {publishedRevision === undefined ? null : (
        <Badge tone="good">{texts.experiences.published(publishedRevision)}</Badge>
      )}
      {hasDraft || publishedRevision === undefined ? (
        <Badge tone="warn">{texts.experiences.draft(latestRevision)}</Badge>
      ) : null}
    </span>
  );
}
