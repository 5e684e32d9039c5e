import { useSignal } from '@preact/signals';
import type { ExperienceSummary } from '@session-launch/contract/admin/experience-schemas';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { may } from '../../state/me.ts';
import { hashOf } from '../../state/route.ts';
import { set } from '../../state/set.ts';
import { experiencesTexts as texts } from '../../texts/experiences.ts';
import { changeStatus, downloadExperience, duplicate } from './actions.ts';
import { DeleteExperience } from './delete-experience.tsx';
import { createDrag } from './drag.ts';
import { ExperienceRow } from './experience-row.tsx';
import type { ListState } from './list-state.ts';
import type { MenuItem } from './row-menu.tsx';

interface ListProps {
  projectId: string;
  state: ListState;
  /** The rows that the filters let through. */
  shown: readonly ExperienceSummary[];
  listRef: { current: HTMLOListElement | null };
  /** Set while a row is dragged. */
  isDragging: { current: boolean };
  reload(): Promise<void>;
}

/** The rows, in the order of the catalog. */
export function ExperienceList({ projectId, state, shown, listRef, isDragging, reload }: ListProps) {
  const deleting = useSignal<ExperienceSummary | undefined>(undefined);
  const ids = shown.map(({ experienceId }) => experienceId);
  const latest = useRef(ids);
  latest.current = ids;
  const drag = useMemo(
    () =>
      createDrag(
        () => listRef.current,
        (id, drop) => state.move(id, drop.side, drop.id, latest.current),
        () => {
          isDragging.current = false;
          if (state.isHeld.value) state.accept();
        },
      ),
    [state],
  );
  useEffect(() => drag.stop, [drag]);
  isDragging.current = drag.dragged.value !== undefined;
  useFocusKept(listRef, ids);

  const move = (index: number, step: -1 | 1) => {
    const { experienceId, title } = shown[index]!;
    const other = shown[index + step];
    if (other === undefined) set(state.announcement, step === -1 ? texts.atStart(title) : texts.atEnd(title));
    else state.move(experienceId, step === -1 ? 'before' : 'after', other.experienceId, ids);
  };
  /** After a row was changed here: shows the new list, even if the row disappears from it. */
  const show = async () => {
    await reload();
    state.accept();
  };
  const menuOf = (one: ExperienceSummary): MenuItem[] => [
    { label: texts.edit, href: hashOf([projectId, 'experiences', one.experienceId, 'setup']) },
    ...(may('edit-experiences') ? statusItems(one, show) : []),
    ...(may('edit-experiences')
      ? [{ label: texts.duplicate, run: () => duplicate(projectId, one, state.rows.value).then(show) }]
      : []),
    { label: texts.downloadOne, run: () => downloadExperience(one) },
    ...(may('edit-experiences')
      ? [{ label: texts.delete, isDangerous: true, run: () => set(deleting, one) }]
      : []),
  ];
  const onFocusOut = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget instanceof Node && listRef.current?.contains(relatedTarget)) return;
    // The browser also takes the focus away from a row that is being moved; `useFocusKept` restores it before this runs.
    setTimeout(() => {
      if (state.isHeld.value && !listRef.current?.contains(document.activeElement)) state.accept();
    });
  };
  return (
    <>
      {state.isHeld.value ? (
        <p class="row" role="status">
          {texts.held} <Button onPress={state.accept}>{texts.showNow}</Button>
        </p>
      ) : null}
      <ol ref={listRef} class="experiences" aria-label={texts.caption} onFocusOut={onFocusOut}>
        {shown.map((one, index) => (
          <ExperienceRow
            key={one.experienceId}
            projectId={projectId}
            experience={one}
            isCounting={state.isCounting.value}
            isFirst={index === 0}
            isLast={index === shown.length - 1}
            drag={drag}
            menu={menuOf(one)}
            onMove={(step) => move(index, step)}
          />
        ))}
      </ol>
      <p class="hidden-text" role="status" aria-live="polite">
        {state.announcement.value}
      </p>
      {deleting.value === undefined ? null : (
        <DeleteExperience
          projectId={projectId}
          experience={deleting.value}
          onChanged={show}
          onClose={() => set(deleting, undefined)}
        />
      )}
    </>
  );
}

function statusItems(one: ExperienceSummary, show: () => unknown): MenuItem[] {
  const { status, title, hasDraft, latestRevision, publishedRevision } = one;
  const publish: MenuItem = {
    label: texts.publish(latestRevision),
    run: () => changeStatus(one, 'publish', texts.isPublished(title, latestRevision), show),
  };
  const restore: MenuItem = {
    label: texts.restore,
    run: () => changeStatus(one, 'unpublish', texts.isRestored(title), show),
  };
  if (status === 'archived') return [restore];
  return [
    ...(hasDraft ? [publish] : []),
    ...(publishedRevision === undefined
      ? []
      : [
          {
            label: texts.unpublish,
            run: () => changeStatus(one, 'unpublish', texts.isUnpublished(title), show),
          },
        ]),
    { label: texts.archive, run: () => changeStatus(one, 'archive', texts.isArchived(title), show) },
  ];
}

/** Keeps the focus where it is when its row moves, and puts it into the next row when its row disappears. */
function useFocusKept(listRef: { current: HTMLElement | null }, ids: readonly string[]): void {
  const before = useRef<{ ids: readonly string[]; focused: HTMLElement | null }>({ ids, focused: null });
  // Read while rendering: afterwards the browser may have moved the focus to the page.
  const active = document.activeElement as HTMLElement | null;
  const focused = listRef.current?.contains(active) ? active : null;
  const order = ids.join();
  useLayoutEffect(() => {
    const { ids: earlier } = before.current;
    before.current = { ids, focused };
    if (focused === null || earlier.join() === order) return;
    if (focused.isConnected) {
      focused.focus({ preventScroll: true });
      focused.closest('[data-id]')?.scrollIntoView({ block: 'nearest' });
      return;
    }
    const gone = (focused.closest('[data-id]') as HTMLElement | null)?.dataset.id;
    const next = ids[Math.min(earlier.indexOf(gone ?? ''), ids.length - 1)];
    const row = [...(listRef.current?.children ?? [])].find(
      (item) => (item as HTMLElement).dataset.id === next,
    );
    row?.querySelector<HTMLElement>('[data-menu]')?.focus();
  }, [order]);
}
