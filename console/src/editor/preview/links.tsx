import { useSignal } from '@preact/signals';
import type { PreviewRecord } from '@session-launch/contract/admin/previews';
import { messageOf, request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { CopyValue, Show } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { useLoad } from '../../state/load.ts';
import { may } from '../../state/me.ts';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';
import { previewTexts } from '../../texts/editor/preview.ts';
import { texts } from '../../texts/texts.ts';
import type { Draft } from '../saving/draft.ts';

const linkTexts = previewTexts.links;

interface LinksProps {
  draft: Draft;
  isOwn(previewId: string): boolean;
}

/** The links to share a revision. They are loaded while the list is open. */
export function Links(props: LinksProps) {
  const isOpen = useSignal(false);
  return (
    <details class="links" onToggle={({ currentTarget }) => set(isOpen, currentTarget.open)}>
      <summary>{linkTexts.title}</summary>
      {isOpen.value ? <OpenLinks {...props} /> : null}
    </details>
  );
}

/** Which links there are, how often they were used, and new ones. */
function OpenLinks({ draft, isOwn }: LinksProps) {
  const { experienceId } = draft;
  const loaded = useLoad(
    [experienceId],
    (signal) =>
      request('GET /admin/experiences/{experienceId}/previews', { params: { experienceId }, signal }),
    ['preview', 'session'],
  );
  const isCreating = useSignal(false);
  const withdrawn = useSignal<PreviewRecord | undefined>(undefined);
  const withdraw = async (previewId: string) => {
    await request('DELETE /admin/previews/{previewId}', { params: { previewId } });
    toast(linkTexts.withdrawn);
    void loaded.reload();
  };
  return (
    <>
      <div class="stack">
        <p class="soft">{linkTexts.intro}</p>
        <Show loaded={loaded}>
          {({ previews }) => (
            <List
              previews={previews.filter(({ previewId }) => !isOwn(previewId))}
              onWithdraw={(preview) => {
                withdrawn.value = preview;
              }}
            />
          )}
        </Show>
        {may('edit-experiences') ? (
          <div class="row">
            <Button
              onPress={() => {
                isCreating.value = true;
              }}
            >
              {linkTexts.create}
            </Button>
          </div>
        ) : null}
      </div>
      {isCreating.value ? (
        <CreateLink
          draft={draft}
          onCreated={loaded.reload}
          onClose={() => {
            isCreating.value = false;
          }}
        />
      ) : null}
      {withdrawn.value === undefined ? null : (
        <Confirm
          title={linkTexts.withdrawTitle}
          action={linkTexts.withdraw}
          isDangerous
          onConfirm={() => withdraw(withdrawn.value!.previewId)}
          onClose={() => {
            withdrawn.value = undefined;
          }}
        >
          <p>{linkTexts.withdrawText}</p>
        </Confirm>
      )}
    </>
  );
}

function List({
  previews,
  onWithdraw,
}: {
  previews: PreviewRecord[];
  onWithdraw(preview: PreviewRecord): void;
}) {
  if (previews.length === 0) return <p>{linkTexts.empty}</p>;
  return (
    <ul class="link-list" aria-label={linkTexts.caption}>
      {previews.map((preview) => {
        const { previewId, revision, createdBy, expiresAt, sessions, maxSessions } = preview;
        return (
          <li key={previewId}>
            <div>
              <p>
                <strong>{linkTexts.named(revision)}</strong> {linkTexts.by(createdBy)}
              </p>
              <p class="soft number">
                {linkTexts.used(sessions, maxSessions)}, {linkTexts.expires} <Time at={expiresAt} />
              </p>
            </div>
            {may('edit-experiences') ? (
              <Button label={linkTexts.withdrawOf(revision, createdBy)} onPress={() => onWithdraw(preview)}>
                {linkTexts.withdraw}
              </Button>
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}

function CreateLink({ draft, onCreated, onClose }: { draft: Draft; onCreated(): unknown; onClose(): void }) {
  const period = useSignal('86400');
  const most = useSignal('50');
  const problem = useSignal<string | undefined>(undefined);
  const url = useSignal<string | undefined>(undefined);
  const revision = draft.saved.value.latestRevision;
  const create = async () => {
    const maxSessions = Number(most.value);
    if (!Number.isInteger(maxSessions) || maxSessions < 1 || maxSessions > 10_000) {
      problem.value = linkTexts.notANumber;
      return;
    }
    try {
      const created = await request('POST /admin/experiences/{experienceId}/previews', {
        params: { experienceId: draft.experienceId },
        body: { revision, expiresInSeconds: Number(period.value), maxSessions },
      });
      url.value = created.url;
      await onCreated();
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  if (url.value !== undefined)
    return (
      <Dialog title={linkTexts.shownTitle} onClose={onClose}>
        <p>{linkTexts.shownText}</p>
        <CopyValue value={url.value} label={linkTexts.link} />
        <div class="dialog-foot">
          <Button look="primary" onPress={onClose}>
            {linkTexts.done}
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title={linkTexts.dialog} onClose={onClose}>
      <Form onSubmit={create}>
        <p>{linkTexts.of(revision)}</p>
        {draft.isChanged.value ? <p class="warn">{linkTexts.unsaved}</p> : null}
        <Select
          label={linkTexts.period}
          value={period.value}
          options={Object.entries(linkTexts.periods).map(([value, label]) => ({ value, label }))}
          onChange={(value) => {
            period.value = value;
          }}
        />
        <TextField
          label={linkTexts.most}
          problem={problem.value}
          type="number"
          value={most.value}
          onInput={(value) => {
            most.value = value;
            problem.value = undefined;
          }}
          required
        />
        <div class="dialog-foot">
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button look="primary" type="submit">
            {linkTexts.create}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
