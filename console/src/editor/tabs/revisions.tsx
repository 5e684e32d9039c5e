import { useSignal } from '@preact/signals';
import type { RevisionList } from '@session-launch/contract/admin/experience-schemas';
import { useEffect, useId, useRef } from 'preact/hooks';
import { messageOf, request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Badge, Show } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { useLoad } from '../../state/load.ts';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';
import { revisionTexts } from '../../texts/editor/revisions.ts';
import { texts } from '../../texts/texts.ts';
import type { Experience } from '../document/model.ts';
import { CompareRevisions } from '../review/compare.tsx';
import { PublishRevision } from '../review/publish-revision.tsx';
import type { Draft } from '../saving/draft.ts';
import { isForToast, withdraw } from '../saving/publish.ts';
import { Outdated } from '../saving/save.ts';

type Revision = RevisionList['revisions'][number];

/** The action to confirm, and the version that was shown when its dialog was opened. */
interface Asking {
  action: 'unpublish' | 'archive';
  version: number;
}

/** Who saved what and when, differences of any two revisions, and which one is published. */
export function Revisions({ draft }: { draft: Draft }) {
  const { version } = draft.saved.value;
  const params = { experienceId: draft.experienceId };
  const loaded = useLoad([draft.experienceId], (signal) =>
    request('GET /admin/experiences/{experienceId}/revisions', { params, signal }),
  );
  const listed = useRef(version);
  useEffect(() => {
    if (listed.current === version) return;
    listed.current = version;
    // The list stays while it is loaded again, so that the focus stays in it.
    void loaded.reload();
  }, [version]);
  return (
    <>
      <p class="soft">{revisionTexts.intro}</p>
      <Show loaded={loaded}>
        {({ revisions, counting }) => (
          <>
            <RevisionItems draft={draft} revisions={revisions} isCounting={counting === true} />
            {revisions.length > 1 ? <CompareRevisions draft={draft} revisions={revisions} /> : null}
          </>
        )}
      </Show>
      <Availability draft={draft} />
    </>
  );
}

interface RevisionItemsProps {
  draft: Draft;
  revisions: Revision[];
  /** The numbers of sessions are lower bounds. */
  isCounting: boolean;
}

function RevisionItems({ draft, revisions, isCounting }: RevisionItemsProps) {
  const id = useId();
  const publishing = useSignal<number | undefined>(undefined);
  const restoring = useSignal<number | undefined>(undefined);
  const restore = async (revision: number) => {
    const params = { experienceId: draft.experienceId, revision: String(revision) };
    const { slug, title, runtime } = (await request(
      'GET /admin/experiences/{experienceId}/revisions/{revision}',
      { params },
    )) as Experience;
    const undo = draft.replace({ ...draft.document.value, slug, title, runtime });
    toast(revisionTexts.restored(revision), { action: { label: texts.undo, run: undo }, owner: draft });
  };
  return (
    <>
      <ul class="revisions" aria-label={revisionTexts.caption}>
        {revisions.map(({ revision, createdAt, createdBy, note, sessions, published }) => (
          <li key={revision}>
            <div>
              <p class="row">
                <strong class="number" id={`${id}-${revision}`}>
                  {revisionTexts.number(revision)}
                </strong>
                {published ? <Badge tone="good">{revisionTexts.published}</Badge> : null}
                <span class="soft">
                  {revisionTexts.by(createdBy)} <Time at={createdAt} />
                  {' · '}
                  {revisionTexts.sessions(sessions, isCounting)}
                </span>
              </p>
              {note === undefined ? null : <p class="note">{note}</p>}
            </div>
            {draft.isEditable ? (
              <span class="row">
                {revision === draft.saved.value.latestRevision ? null : (
                  <Button
                    look="plain"
                    label={revisionTexts.restoreOf(revision)}
                    onPress={() => (draft.isChanged.value ? set(restoring, revision) : restore(revision))}
                  >
                    {revisionTexts.restore}
                  </Button>
                )}
                {published ? null : (
                  <Button describedBy={`${id}-${revision}`} onPress={() => set(publishing, revision)}>
                    {revisionTexts.publish}
                  </Button>
                )}
              </span>
            ) : null}
          </li>
        ))}
      </ul>
      {publishing.value === undefined ? null : (
        <PublishRevision
          draft={draft}
          revision={publishing.value}
          onClose={() => set(publishing, undefined)}
        />
      )}
      {restoring.value === undefined ? null : (
        <Confirm
          title={revisionTexts.restoreTitle(restoring.value)}
          action={revisionTexts.restore}
          isDangerous
          onConfirm={() => restore(restoring.value!)}
          onClose={() => set(restoring, undefined)}
        >
          <p>{revisionTexts.restoreText}</p>
        </Confirm>
      )}
    </>
  );
}

/** Takes the experience out of the catalog. */
function Availability({ draft }: { draft: Draft }) {
  const asking = useSignal<Asking | undefined>(undefined);
  const { publishedRevision, experience, version } = draft.saved.value;
  const isArchived = (experience as Experience).status === 'archived';
  const asked = asking.value;
  const state = () => {
    if (isArchived) return revisionTexts.isArchived;
    if (publishedRevision === undefined) return revisionTexts.isDraft;
    return revisionTexts.isPublished(publishedRevision);
  };
  const confirm = async ({ action, version }: Asking) => {
    try {
      await withdraw(draft, action, version);
    } catch (error) {
      if (isForToast(draft, error)) return toast(messageOf(error), { tone: 'bad' });
      // The dialog shows the name of the other operator. A second confirmation applies to the new state.
      if (error instanceof Outdated) asking.value = { action, version: draft.saved.value.version };
      throw error;
    }
  };
  return (
    <section class="stack">
      <h2>{revisionTexts.availability}</h2>
      <p>{state()}</p>
      {draft.isEditable && !isArchived ? (
        <div class="row">
          {publishedRevision === undefined ? null : (
            <Button onPress={() => set(asking, { action: 'unpublish', version })}>
              {revisionTexts.unpublish}
            </Button>
          )}
          <Button look="danger" onPress={() => set(asking, { action: 'archive', version })}>
            {revisionTexts.archive}
          </Button>
        </div>
      ) : null}
      {asked === undefined ? null : (
        <Confirm
          title={revisionTexts[`${asked.action}Title`]}
          action={revisionTexts[asked.action]}
          isDangerous
          onConfirm={() => confirm(asked)}
          onClose={() => set(asking, undefined)}
        >
          <p>{revisionTexts[`${asked.action}Text`]}</p>
        </Confirm>
      )}
    </section>
  );
}
