import '../sessions/sessions.css';
import { useSignal } from '@preact/signals';
import type { ExperienceSummary } from '@session-launch/contract/admin/experience-schemas';
import {
  curlSnippet,
  htmlSnippet,
  reactSnippet,
  relayPageSnippet,
  relaySnippet,
  type Snippet,
} from '@session-launch/contract/snippets';
import { request } from '../../api/client.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Select } from '../../parts/field.tsx';
import { CopyCode, Empty, Show } from '../../parts/notice.tsx';
import { OriginCheck } from '../../parts/origin-check.tsx';
import { Screen } from '../../parts/screen.tsx';
import { useLoad } from '../../state/load.ts';
import { me } from '../../state/me.ts';
import { hashOf, route, setQuery } from '../../state/route.ts';
import type { ProjectScreen } from '../../state/screen.ts';
import { readProject } from '../../state/settings.ts';
import { texts } from '../../texts/texts.ts';
import { Origins } from './origins.tsx';

type Way = keyof typeof texts.embeds.ways;

/** The code for each way to start an experience; a caption names the file if there are several. */
const codeOf: Record<
  Way,
  (facts: { publicUrl: string; experienceId: string }) => { code: Snippet; caption?: string }[]
> = {
  script: (facts) => [{ code: htmlSnippet(facts) }],
  react: (facts) => [{ code: reactSnippet(facts) }],
  relay: (facts) => [
    { code: relaySnippet(facts), caption: texts.embeds.relayServer },
    { code: relayPageSnippet(facts), caption: texts.embeds.relayPage },
  ],
  curl: ({ publicUrl, experienceId }) => [
    { code: curlSnippet({ publicUrl, key: { variable: 'LAUNCH_KEY' }, body: { experienceId } }) },
  ],
};

export const embedsScreen: ProjectScreen = {
  address: 'embeds',
  title: texts.embeds.title,
  component: Embeds,
};

/** Code that puts an experience into an application, and the origins that may use it. */
function Embeds({ projectId }: { projectId: string }) {
  const loaded = useLoad(
    [projectId],
    async (signal) => {
      const [{ experiences }, { project }] = await Promise.all([
        request('GET /admin/projects/{projectId}/experiences', { params: { projectId }, signal }),
        readProject(projectId),
      ]);
      return { experiences: experiences.filter(({ status }) => status !== 'archived'), project };
    },
    ['project', 'experience'],
  );
  return (
    <Screen title={texts.embeds.title} intro={texts.embeds.intro}>
      <Show loaded={loaded}>
        {({ experiences, project }) => (
          <>
            {experiences.length === 0 ? (
              <Empty title={texts.embeds.empty}>
                <p>{texts.embeds.emptyText}</p>
                <LinkButton href={hashOf([projectId, 'experiences'])}>{texts.embeds.create}</LinkButton>
              </Empty>
            ) : (
              <Code projectId={projectId} experiences={experiences} />
            )}
            <Origins project={project} onChanged={loaded.reload} />
          </>
        )}
      </Show>
    </Screen>
  );
}

function Code({ projectId, experiences }: { projectId: string; experiences: ExperienceSummary[] }) {
  const way = useSignal<Way>('script');
  const chosen =
    experiences.find(({ experienceId }) => experienceId === route.value.query.experience) ?? experiences[0]!;
  const { experienceId } = chosen;
  const shown = codeOf[way.value]({ publicUrl: me.value?.publicUrl ?? '', experienceId });
  return (
    <section class="panel">
      <div class="filters">
        <Select
          label={texts.embeds.experience}
          value={chosen.experienceId}
          options={experiences.map(({ experienceId, title }) => ({ value: experienceId, label: title }))}
          onChange={(experience) => setQuery({ experience })}
        />
        <Select
          label={texts.embeds.way}
          value={way.value}
          options={Object.entries(texts.embeds.ways).map(([value, label]) => ({ value, label }))}
          onChange={(value) => {
            way.value = value as Way;
          }}
        />
      </div>
      {shown.map(({ code, caption }) => (
        <CopyCode
          key={caption}
          code={code}
          label={caption ?? texts.embeds.code}
          {...(caption === undefined ? {} : { caption })}
        />
      ))}
      {way.value === 'script' || way.value === 'react' ? (
        <OriginCheck projectId={projectId} experienceId={chosen.experienceId} />
      ) : null}
    </section>
  );
}
