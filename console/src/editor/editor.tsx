import './editor.css';
import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import type { FunctionComponent } from 'preact';
import { useMemo } from 'preact/hooks';
import { request } from '../api/client.ts';
import { Show } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useLoad } from '../state/load.ts';
import { may } from '../state/me.ts';
import { hashOf } from '../state/route.ts';
import { frameTexts } from '../texts/editor/frame.ts';
import { createDraft, type Draft } from './draft.ts';
import { Preview } from './preview.tsx';
import { Access } from './tabs/access.tsx';
import { Gallery } from './tabs/gallery.tsx';
import { Languages } from './tabs/languages.tsx';
import { Mind } from './tabs/mind.tsx';
import { Revisions } from './tabs/revisions.tsx';
import { Setup } from './tabs/setup.tsx';
import { Yaml } from './tabs/yaml.tsx';

type Tab = Exclude<keyof typeof frameTexts.tabs, 'label'>;

const tabs: Record<Tab, FunctionComponent<{ draft: Draft }>> = {
  setup: Setup,
  mind: Mind,
  languages: Languages,
  gallery: Gallery,
  access: Access,
  revisions: Revisions,
  yaml: Yaml,
};

interface EditorProps {
  projectId: string;
  experienceId: string;
  /** From the address; an unknown one shows the first tab. */
  tab: string | undefined;
}

/** Loads an experience and shows its tabs beside the preview. */
export function Editor({ projectId, experienceId, tab }: EditorProps) {
  const loaded = useLoad([experienceId], (signal) =>
    request<ExperienceState>(`experiences/${experienceId}`, { signal }),
  );
  return (
    <Show loaded={loaded}>
      {(state) => <Opened projectId={projectId} state={state} tab={isTab(tab) ? tab : 'setup'} />}
    </Show>
  );
}

function isTab(name: string | undefined): name is Tab {
  return name !== undefined && name in tabs;
}

function Opened({ projectId, state, tab }: { projectId: string; state: ExperienceState; tab: Tab }) {
  const draft = useMemo(() => createDraft(projectId, state, may('edit-experiences')), [state]);
  const Current = tabs[tab];
  return (
    <Screen title={draft.document.value.title}>
      <nav class="tabs" aria-label={frameTexts.tabs.label}>
        {(Object.keys(tabs) as Tab[]).map((name) => (
          <a
            key={name}
            href={hashOf([projectId, 'experiences', draft.experienceId, name])}
            aria-current={name === tab ? 'page' : undefined}
          >
            {frameTexts.tabs[name]}
          </a>
        ))}
      </nav>
      <div class="editor">
        <div class="stack">
          <Current draft={draft} />
        </div>
        <Preview draft={draft} />
      </div>
    </Screen>
  );
}
