import { useComputed, useSignal } from '@preact/signals';
import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import type { FunctionComponent } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Screen } from '../../parts/screen.tsx';
import { may, me } from '../../state/me.ts';
import { hashOf } from '../../state/route.ts';
import { dismissOf, toast } from '../../state/toasts.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { parsePath } from '../document/path.ts';
import { type Tab, tabOf } from '../document/tab-of.ts';
import { Preview } from '../preview/preview.tsx';
import { type Checked, checkWhileEditing } from '../saving/check.ts';
import { createDraft, type Draft } from '../saving/draft.ts';
import { followExperience } from '../saving/follow.ts';
import { type FoundUnsaved, findUnsaved, keepUnsaved } from '../saving/keep-draft.ts';
import { Access } from '../tabs/access.tsx';
import { Gallery } from '../tabs/gallery.tsx';
import { Languages } from '../tabs/languages.tsx';
import { Mind } from '../tabs/mind.tsx';
import { Revisions } from '../tabs/revisions.tsx';
import { Setup } from '../tabs/setup.tsx';
import { Yaml } from '../tabs/yaml.tsx';
import { Actions } from './actions.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { focusField } from './focus-field.ts';
import { NewerNotice, UnsavedNotice } from './notices.tsx';
import { ProblemList } from './problem-list.tsx';
import { StateLine } from './state-line.tsx';
import { TabLinks } from './tab-links.tsx';

const tabs: Record<Tab, FunctionComponent<{ draft: Draft }>> = {
  setup: Setup,
  mind: Mind,
  languages: Languages,
  gallery: Gallery,
  access: Access,
  revisions: Revisions,
  yaml: Yaml,
};

interface FrameProps {
  projectId: string;
  /** The state that editing begins with. Later ones do not replace the draft, which follows the changes of others itself. */
  opened: ExperienceState;
  tab: Tab;
}

/** The tabs of an experience, the buttons that save and publish it, and what its author must know. */
export function Frame({ projectId, opened, tab }: FrameProps) {
  const draft = useMemo(() => createDraft(projectId, opened, may('edit-experiences')), []);
  const checked = useSignal<Checked>('checked');
  const found = useSignal<readonly FoundUnsaved[]>([]);
  const areProblemsShown = useSignal(false);
  const wantedField = useSignal<string | undefined>(undefined);
  const content = useRef<HTMLDivElement>(null);
  const isDeleted = useRef(false);

  useEffect(() => {
    const stops = [
      followExperience(draft, {
        onTakenOver: ({ updatedBy }) => toast(frameTexts.newer.takenOver(updatedBy)),
        onDeleted: () => {
          // Several changes announce a deletion.
          if (isDeleted.current) return;
          isDeleted.current = true;
          draft.finishTyping();
          const { deleted, deletedUnsaved } = frameTexts.newer;
          toast(draft.isChanged.peek() ? deletedUnsaved : deleted, { tone: 'bad' });
        },
      }),
    ];
    if (draft.isEditable) {
      const operatorId = me.value?.operator.operatorId ?? '';
      const onFailure = () => toast(frameTexts.notKept, { tone: 'bad' });
      findUnsaved(draft, operatorId).then((unsaved) => {
        found.value = unsaved;
      }, onFailure);
      stops.push(keepUnsaved(draft, operatorId, onFailure), checkWhileEditing(draft, checked));
    }
    return () => {
      dismissOf(draft);
      for (const stop of stops) stop();
      draft.close();
    };
  }, [draft]);

  useEffect(() => {
    const path = wantedField.value;
    if (path === undefined || tabOf(parsePath(path)) !== tab || content.current === null) return;
    wantedField.value = undefined;
    focusField(content.current, path);
  }, [tab, wantedField.value]);

  // Rendered once: a tab subscribes to the values that it shows, so that a key typed elsewhere does not render it again.
  const Current = tabs[tab];
  const current = useMemo(() => <Current draft={draft} />, [tab]);
  const preview = useMemo(() => <Preview draft={draft} />, []);
  const title = useComputed(() => draft.document.value.title);
  const list = hashOf([projectId, 'experiences']);
  return (
    <Screen
      title={title.value || draft.experienceId}
      actions={
        <>
          <span class="to-preview">
            <Button onPress={showPreview}>{frameTexts.toPreview}</Button>
          </span>
          <LinkButton look="plain" href={list}>
            {frameTexts.back}
          </LinkButton>
        </>
      }
    >
      <StateLine draft={draft} checked={checked.value} />
      {draft.isEditable ? null : (
        <p class="editor-notice">{frameTexts.readOnly(me.value?.operator.role ?? '')}</p>
      )}
      <UnsavedNotice draft={draft} found={found} />
      <NewerNotice draft={draft} />
      <div class="editor-bar">
        <TabLinks draft={draft} tab={tab} />
        {draft.isEditable ? (
          <Actions
            draft={draft}
            onProblems={() => {
              areProblemsShown.value = true;
              // After the list is rendered. The YAML tab renders its own list.
              requestAnimationFrame(() => document.querySelector<HTMLElement>('.editor-problems')?.focus());
            }}
          />
        ) : null}
      </div>
      {/* The YAML tab lists the problems itself, with their lines. */}
      {areProblemsShown.value && draft.problems.value.length > 0 && tab !== 'yaml' ? (
        <ProblemList
          draft={draft}
          onFollow={(path) => {
            wantedField.value = path;
          }}
          onClose={() => {
            areProblemsShown.value = false;
          }}
        />
      ) : null}
      <div class="editor">
        <div class="stack" ref={content}>
          {current}
        </div>
        {preview}
      </div>
      {draft.conflict.value === undefined ? null : (
        <ConflictDialog draft={draft} conflict={draft.conflict.value} />
      )}
    </Screen>
  );
}

/** On narrow screens, the preview is below the form. */
function showPreview(): void {
  const title = document.getElementById('preview-title');
  title?.focus({ preventScroll: true });
  title?.scrollIntoView();
}
