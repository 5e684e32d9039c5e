import './editor.css';
import { ApiFailure, request } from '../api/client.ts';
import { Show } from '../parts/notice.tsx';
import { useLoad } from '../state/load.ts';
import { goTo, hashOf } from '../state/route.ts';
import { type Tab, tabNames } from './document/tab-of.ts';
import { Frame } from './frame/frame.tsx';
import { Missing } from './missing.tsx';
import { loadSheet } from './sheet.ts';

// Before the module counts as loaded, so that nothing is shown without its style.
await loadSheet('editor');

interface EditorProps {
  projectId: string;
  experienceId: string;
  /** From the address; an unknown one shows the first tab. */
  tab: string | undefined;
}

/** Loads an experience and shows its tabs beside the preview. */
export function Editor({ projectId, experienceId, tab }: EditorProps) {
  const loaded = useLoad([experienceId], (signal) =>
    request('GET /admin/experiences/{experienceId}', { params: { experienceId }, signal }),
  );
  if (isMissing(loaded.error))
    return (
      <Missing
        projectId={projectId}
        experienceId={experienceId}
        onCreated={(id) => {
          if (id === experienceId) return loaded.reload();
          goTo(hashOf([projectId, 'experiences', id, 'setup']));
        }}
      />
    );
  return (
    <Show loaded={loaded}>
      {(state) => (
        <Frame key={experienceId} projectId={projectId} opened={state} tab={isTab(tab) ? tab : 'setup'} />
      )}
    </Show>
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiFailure && error.code === 'EXPERIENCE_NOT_FOUND';
}

function isTab(name: string | undefined): name is Tab {
  return tabNames.some((tab) => tab === name);
}
