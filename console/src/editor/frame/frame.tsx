import { useSignal } from '@preact/signals';
import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import type { FunctionComponent } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { LinkButton } from '../../parts/button.tsx';
import { Screen } from '../../parts/screen.tsx';
import { may, me } from '../../state/me.ts';
import { hashOf } from '../../state/route.ts';
import { toast } from '../../state/toasts.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { type Tab, tabNames, tabOf } from '../document/tab-of.ts';
import { createDraft, type Draft } from '../draft.ts';
import { parsePath } from '../path.ts';
import { Preview } from '../preview.tsx';
import { type Checked, checkWhileEditing } from '../saving/check.ts';
import { followExperience } from '../saving/follow.ts';
import { findUnsaved, keepUnsaved } from '../saving/keep-draft.ts';
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
import { type FoundUnsaved, NewerNotice, UnsavedNotice } from './notices.tsx';
import { ProblemList } from './problem-list.tsx';
import { StateLine } from './state-line.tsx';

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
  state: ExperienceState;
  tab: Tab;
}

/** The tabs of an experience, the buttons that save and publish it, and what its author must know. */
export function Frame({ projectId, state, tab }: FrameProps) {
  const draft = useMemo(() => createDraft(projectId, state, may('edit-experiences')), [state]);
  const checked = useSignal<Checked>('checked');
  const newer = useSignal<ExperienceState | undefined>(undefined);
  const found = useSignal<readonly FoundUnsaved[]>([]);
  const areProblemsShown = useSignal(false);
  const wantedField = useSignal<string | undefined>(undefined);
  const content = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const stops = [
      followExperience(draft, {
        newer,
        onTakenOver: ({ updatedBy }) => toast(frameTexts.newer.takenOver(updatedBy)),
        onDeleted: () => toast(frameTexts.newer.deleted, { tone: 'bad' }),
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
      for (const stop of stops) stop();
    };
  }, [draft]);

  useEffect(() => {
    const path = wantedField.value;
    if (path === undefined || tabOf(parsePath(path)) !== tab || content.current === null) return;
    wantedField.value = undefined;
    focusField(content.current, path);
  }, [tab, wantedField.value]);

  const Current = tabs[tab];
  const { title } = draft.document.value;
  const list = hashOf([projectId, 'experiences']);
  return (
    <Screen
      title={title || draft.experienceId}
      actions={
        <LinkButton look="plain" href={list}>
          {frameTexts.back}
        </LinkButton>
      }
    >
      <StateLine draft={draft} />
      {draft.isEditable ? null : (
        <p class="editor-notice">{frameTexts.readOnly(me.value?.operator.role ?? '')}</p>
      )}
      <UnsavedNotice draft={draft} found={found} newer={newer} />
      <NewerNotice draft={draft} newer={newer} />
      <div class="editor-bar">
        <nav class="tabs" aria-label={frameTexts.tabs.label}>
          {tabNames.map((name) => (
            <a
              key={name}
              href={hashOf([projectId, 'experiences', draft.experienceId, name])}
              aria-current={name === tab ? 'page' : undefined}
            >
              {frameTexts.tabs[name]}
            </a>
          ))}
        </nav>
        {draft.isEditable ? (
          <Actions
            draft={draft}
            checked={checked.value}
            onProblems={() => {
              areProblemsShown.value = true;
            }}
          />
        ) : null}
      </div>
      {areProblemsShown.value && draft.problems.value.length > 0 ? (
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
          <Current draft={draft} />
        </div>
        <Preview draft={draft} />
      </div>
      {draft.conflict.value === undefined ? null : (
        <ConflictDialog draft={draft} conflict={draft.conflict.value} />
      )}
    </Screen>
  );
}
