import './experiences.css';
import { useSignal } from '@preact/signals';
import type { ExperienceList as List } from '@session-launch/contract/admin/experience-schemas';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Show } from '../../parts/notice.tsx';
import { Screen } from '../../parts/screen.tsx';
import { useLoad } from '../../state/load.ts';
import { may } from '../../state/me.ts';
import { hashOf, setQuery } from '../../state/route.ts';
import type { ProjectScreen } from '../../state/screen.ts';
import { set } from '../../state/set.ts';
import { experiencesTexts as texts } from '../../texts/experiences.ts';
import { Import } from '../import/import.tsx';
import { downloadProject } from './actions.ts';
import { ExperienceList } from './experience-list.tsx';
import { currentFilter, Filters, isFiltering, passes } from './filters.tsx';
import { createListState, type ListState } from './list-state.ts';
import { NewExperience } from './new-experience.tsx';
import { OpenEditor } from './open-editor.tsx';

export const experiencesScreen: ProjectScreen = {
  address: 'experiences',
  title: texts.title,
  component: Experiences,
  targets: async (projectId) => {
    const route = 'GET /admin/projects/{projectId}/experiences';
    const { experiences } = await request(route, { params: { projectId } });
    return experiences.map(({ experienceId, title }) => ({
      title,
      id: experienceId,
      href: hashOf([projectId, 'experiences', experienceId]),
    }));
  },
};

/** The experiences of a project, or the editor of one of them. */
function Experiences({ projectId, rest: [experienceId, tab] }: { projectId: string; rest: string[] }) {
  if (experienceId === undefined) return <ExperienceScreen key={projectId} projectId={projectId} />;
  return <OpenEditor key={experienceId} projectId={projectId} experienceId={experienceId} tab={tab} />;
}

function ExperienceScreen({ projectId }: { projectId: string }) {
  const newest = useRef<List | undefined>(undefined);
  const loaded = useLoad(
    [projectId],
    async (signal) => {
      newest.current = await request('GET /admin/projects/{projectId}/experiences', {
        params: { projectId },
        signal,
      });
      return newest.current;
    },
    ['experience', 'project'],
  );
  const listRef = useRef<HTMLOListElement>(null);
  const isDragging = useRef(false);
  const reload = async () => {
    await loaded.reload();
    // Updates the rows before the next render, because callers that await `reload` read them.
    if (newest.current !== undefined) state.receive(newest.current);
  };
  const state: ListState = useMemo(
    () =>
      createListState(projectId, {
        isInUse: () => isDragging.current || (listRef.current?.contains(document.activeElement) ?? false),
        visible: (rows) => rows.filter((one) => passes(currentFilter(), one)),
        reload: () => reload(),
      }),
    [projectId],
  );
  useLayoutEffect(() => {
    if (loaded.data !== undefined) state.receive(loaded.data);
  }, [loaded.data]);
  const open = useSignal<'new' | 'import' | File | undefined>(undefined);
  useFileDrop((file) => set(open, file));
  const close = () => set(open, undefined);
  const create = may('edit-experiences') ? (
    <Button look="primary" onPress={() => set(open, 'new')}>
      {texts.create}
    </Button>
  ) : null;
  const actions = (
    <>
      <Button onPress={() => set(open, 'import')}>{texts.import}</Button>
      <Button onPress={() => downloadProject(projectId)}>{texts.download}</Button>
      {create}
    </>
  );
  return (
    <Screen title={texts.title} actions={actions}>
      <Show loaded={loaded}>
        {({ experiences }) =>
          experiences.length === 0 ? (
            <Empty title={texts.empty}>
              <p>{create === null ? texts.emptyForReaders : texts.emptyText}</p>
              {create}
            </Empty>
          ) : (
            <FilteredList {...{ projectId, state, listRef, isDragging, reload }} />
          )
        }
      </Show>
      {open.value === 'new' ? (
        <NewExperience projectId={projectId} taken={state.rows.value} onClose={close} />
      ) : null}
      {open.value === 'import' || open.value instanceof File ? (
        <Import
          projectId={projectId}
          experiences={state.rows.value}
          file={open.value instanceof File ? open.value : undefined}
          onApplied={reload}
          onClose={close}
        />
      ) : null}
    </Screen>
  );
}

/** Calls back when a file is dropped anywhere on the screen. */
function useFileDrop(onFile: (file: File) => void): void {
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    addEventListener(
      'dragover',
      (event) => {
        if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
      },
      { signal },
    );
    addEventListener(
      'drop',
      (event) => {
        const [file] = event.dataTransfer?.files ?? [];
        // A dialog that is open decides itself what to do with a file.
        if (file === undefined || document.querySelector('dialog[open]') !== null) return;
        event.preventDefault();
        onFile(file);
      },
      { signal },
    );
    return () => stop.abort();
  }, []);
}

interface FilteredProps {
  projectId: string;
  state: ListState;
  listRef: { current: HTMLOListElement | null };
  isDragging: { current: boolean };
  reload(): Promise<void>;
}

function FilteredList(props: FilteredProps) {
  const { state } = props;
  const filter = currentFilter();
  const rows = state.rows.value;
  const shown = rows.filter((one) => passes(filter, one));
  const archived = rows.filter(({ status }) => status === 'archived').length;
  const address = JSON.stringify(filter);
  // A new filter changes what is visible anyway.
  useEffect(() => {
    if (state.isHeld.value) state.accept();
  }, [address]);
  if (rows.length === 0) return null;
  return (
    <>
      <Filters filter={filter} />
      {shown.length === 0 ? (
        <Empty title={isFiltering(filter) ? texts.noMatch : texts.allArchived}>
          {isFiltering(filter) ? <Button onPress={() => setQuery({})}>{texts.clear}</Button> : null}
        </Empty>
      ) : (
        <ExperienceList {...props} shown={shown} />
      )}
      {filter.state === '' && archived > 0 ? (
        <p class="row soft">
          {texts.hidden(archived)}{' '}
          <Button look="plain" onPress={() => setQuery({ ...filter, state: 'archived' })}>
            {texts.showArchived}
          </Button>
        </p>
      ) : null}
    </>
  );
}
