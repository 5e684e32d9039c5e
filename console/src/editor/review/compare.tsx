import { useSignal } from '@preact/signals';
import type { RevisionList } from '@session-launch/contract/admin/experience-schemas';
import { request } from '../../api/client.ts';
import { Select } from '../../parts/field.tsx';
import { Show } from '../../parts/notice.tsx';
import { useLoad } from '../../state/load.ts';
import { revisionTexts } from '../../texts/editor/revisions.ts';
import { differences } from '../document/differences.ts';
import type { Experience } from '../document/model.ts';
import type { Draft } from '../saving/draft.ts';
import { DifferenceList } from './difference-list.tsx';

/** The differences of any two revisions. */
export function CompareRevisions({
  draft,
  revisions,
}: {
  draft: Draft;
  revisions: RevisionList['revisions'];
}) {
  const newest = revisions[0]!.revision;
  const published = revisions.find((one) => one.published)?.revision;
  const from = useSignal(published === undefined || published === newest ? newest - 1 : published);
  const to = useSignal(newest);
  const options = revisions.map(({ revision, note }) => ({
    value: String(revision),
    label: note === undefined ? revisionTexts.number(revision) : `${revisionTexts.number(revision)}: ${note}`,
  }));
  return (
    <section class="stack">
      <h2>{revisionTexts.compare}</h2>
      <div class="compare">
        <Select
          label={revisionTexts.from}
          value={String(from.value)}
          options={options}
          onChange={(value) => {
            from.value = Number(value);
          }}
        />
        <Select
          label={revisionTexts.to}
          value={String(to.value)}
          options={options}
          onChange={(value) => {
            to.value = Number(value);
          }}
        />
      </div>
      <RevisionDifferences experienceId={draft.experienceId} from={from.value} to={to.value} />
    </section>
  );
}

interface RevisionDifferencesProps {
  experienceId: string;
  from: number;
  to: number;
}

/** What changes from one revision to another. */
export function RevisionDifferences({ experienceId, from, to }: RevisionDifferencesProps) {
  const loaded = useLoad([experienceId, from, to], (signal) =>
    Promise.all(
      [from, to].map(async (revision) => {
        const params = { experienceId, revision: String(revision) };
        return (await request('GET /admin/experiences/{experienceId}/revisions/{revision}', {
          params,
          signal,
        })) as Experience;
      }),
    ),
  );
  return (
    <Show loaded={loaded}>
      {(documents) => {
        const found = differences(documents[0], documents[1]);
        if (found.length === 0) return <p class="soft">{revisionTexts.noDifference}</p>;
        return <DifferenceList differences={found} documents={documents} />;
      }}
    </Show>
  );
}
