import { type Signal, signal } from '@preact/signals';
import type {
  ExperienceSummary,
  ExperienceList as List,
} from '@session-launch/contract/admin/experience-schemas';
import { isConflict, request } from '../../api/client.ts';
import { dismiss, toast, toasts } from '../../state/toasts.ts';
import { experiencesTexts as texts } from '../../texts/experiences.ts';
import { OrderQueue, place, type Rearrangement, restore } from './order.ts';

/** The rows of the list, their order, and the moves that are being saved. */
export interface ListState {
  /** All experiences, in the order shown. */
  readonly rows: Signal<readonly ExperienceSummary[]>;
  /** Whether a newer list is held back, because showing it would move rows during a drag or under the focus. */
  readonly isHeld: Signal<boolean>;
  /** The text of the live region. */
  readonly announcement: Signal<string>;
  /** Takes a list from the service. Holds it back if the list is in use and other rows would be visible. */
  receive(list: List): void;
  /** Shows the newest list. */
  accept(): void;
  /** Moves a row next to another one, saves it and offers to undo it. `visible` are the ids of the rows shown, in order. */
  move(id: string, side: 'before' | 'after', other: string, visible: readonly string[]): void;
}

export interface ListUse {
  /** Whether a row is dragged or focused. */
  isInUse(): boolean;
  /** The rows that the filters let through. */
  visible(rows: readonly ExperienceSummary[]): readonly ExperienceSummary[];
  reload(): Promise<void>;
}

export function createListState(projectId: string, use: ListUse): ListState {
  const rows = signal<readonly ExperienceSummary[]>([]);
  const isHeld = signal(false);
  const announcement = signal('');
  let newest: List | undefined;
  /** Moves that one "Undo" takes back together: those of the same row, while their toast is shown. */
  let run: { id: string; before: readonly string[]; toastId: number | undefined } | undefined;
  const path = `projects/${projectId}`;

  const queue = new OrderQueue({
    read: async () => {
      const { experiences, version } = await request<List>(`${path}/experiences`);
      return { ids: experiences.map(({ experienceId }) => experienceId), version };
    },
    write: async ({ ids, version }) => {
      try {
        const body = { experienceIds: ids };
        return (await request<{ version: number }>(`${path}/order`, { method: 'PUT', version, body }))
          .version;
      } catch (error) {
        if (!isConflict(error)) throw error;
        return { conflict: error.details };
      }
    },
  });

  const visibleIds = (list: readonly ExperienceSummary[]) =>
    use
      .visible(list)
      .map(({ experienceId }) => experienceId)
      .join();

  const accept = () => {
    if (newest === undefined || queue.isSaving || newest.version < queue.version) return;
    rows.value = newest.experiences;
    isHeld.value = false;
    queue.begin({
      ids: newest.experiences.map(({ experienceId }) => experienceId),
      version: newest.version,
    });
  };

  const rearrange = (rearrangement: Rearrangement) => {
    const byId = new Map(rows.value.map((row) => [row.experienceId, row]));
    rows.value = rearrangement([...byId.keys()]).map((id) => byId.get(id)!);
  };

  const save = async (rearrangement: Rearrangement) => {
    try {
      const { conflict } = await queue.save(rearrangement);
      if (conflict?.by !== undefined) toast(texts.movedBeside(conflict.by));
    } catch {
      toast(texts.notMoved, { tone: 'bad' });
    }
    if (queue.isSaving) return;
    await use.reload();
    accept();
  };

  const undo = (before: readonly string[]) => {
    run = undefined;
    rearrange(restore(before));
    announcement.value = texts.restored;
    void save(restore(before));
  };

  return {
    rows,
    isHeld,
    announcement,
    accept,
    receive(list) {
      // Answers may arrive in another order than their requests, and after a move that was saved in between.
      if (list.version < Math.max(newest?.version ?? 0, queue.version)) return;
      newest = list;
      if (queue.isSaving) return;
      isHeld.value = use.isInUse() && visibleIds(list.experiences) !== visibleIds(rows.value);
      if (!isHeld.value) accept();
    },
    move(id, side, other, visible) {
      const rearrangement = place(id, side, other);
      const isSameRun = run?.id === id && toasts.value.some((one) => one.id === run?.toastId);
      const before =
        isSameRun && run !== undefined ? run.before : rows.value.map(({ experienceId }) => experienceId);
      if (run?.toastId !== undefined && isSameRun) dismiss(run.toastId);
      rearrange(rearrangement);
      const title = rows.value.find(({ experienceId }) => experienceId === id)?.title ?? id;
      const position = rearrangement(visible).indexOf(id) + 1;
      announcement.value = texts.position(title, position, visible.length);
      toast(texts.moved(title), { action: { label: texts.undo, run: () => undo(before) } });
      run = { id, before, toastId: toasts.value.at(-1)?.id };
      void save(rearrangement);
    },
  };
}
