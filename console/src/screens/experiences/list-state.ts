import { type Signal, signal } from '@preact/signals';
import type {
  ExperienceSummary,
  ExperienceList as List,
} from '@session-launch/contract/admin/experience-schemas';
import { isConflict, request } from '../../api/client.ts';
import { dismiss, toast, toasts } from '../../state/toasts.ts';
import { experiencesTexts as texts } from '../../texts/experiences.ts';
import { moveBack, OrderQueue, place, type Rearrangement } from './order.ts';

/** The rows of the list, their order, and the moves that are being saved. */
export interface ListState {
  /** All experiences, in the order shown. */
  readonly rows: Signal<readonly ExperienceSummary[]>;
  /** Whether the numbers of sessions are lower bounds. */
  readonly isCounting: Signal<boolean>;
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

const idsOf = (list: readonly ExperienceSummary[]) => list.map(({ experienceId }) => experienceId);

export function createListState(projectId: string, use: ListUse): ListState {
  const rows = signal<readonly ExperienceSummary[]>([]);
  const isCounting = signal(false);
  const isHeld = signal(false);
  const announcement = signal('');
  let newest: List | undefined;
  /** Moves that one "Undo" takes back together: those of the same row, while their toast is shown and the order is as they left it. */
  let run: { id: string; before: readonly string[]; after: string; toastId: number | undefined } | undefined;
  const params = { projectId };

  const queue = new OrderQueue({
    read: async () => {
      const { experiences, version } = await request('GET /admin/projects/{projectId}/experiences', {
        params,
      });
      return { ids: idsOf(experiences), version };
    },
    write: async ({ ids, version }) => {
      try {
        const body = { experienceIds: ids };
        return (await request('PUT /admin/projects/{projectId}/order', { params, version, body })).version;
      } catch (error) {
        if (!isConflict(error)) throw error;
        return { conflict: error.details };
      }
    },
  });

  const visibleIds = (list: readonly ExperienceSummary[]) => idsOf(use.visible(list)).join();

  const accept = () => {
    if (newest === undefined || queue.isSaving || newest.version < queue.version) return;
    rows.value = newest.experiences;
    isCounting.value = newest.counting === true;
    isHeld.value = false;
    queue.begin({ ids: idsOf(newest.experiences), version: newest.version });
  };

  const rearrange = (rearrangement: Rearrangement) => {
    const byId = new Map(rows.value.map((row) => [row.experienceId, row]));
    rows.value = rearrangement([...byId.keys()]).map((id) => byId.get(id)!);
  };

  const save = async (rearrangement: Rearrangement, besideText: (by: string) => string) => {
    try {
      const { conflict } = await queue.save(rearrangement);
      if (conflict?.by !== undefined) toast(besideText(conflict.by));
    } catch {
      toast(texts.notMoved, { tone: 'bad' });
    }
    if (queue.isSaving) return;
    await use.reload();
    accept();
  };

  const undo = (id: string, title: string, before: readonly string[]) => {
    run = undefined;
    if (!idsOf(rows.value).includes(id)) return toast(texts.gone(title));
    const rearrangement = moveBack(id, before);
    rearrange(rearrangement);
    announcement.value = texts.movedBack(title);
    void save(rearrangement, (by) => texts.movedBackBeside(by, title));
  };

  return {
    rows,
    isCounting,
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
      const present = idsOf(rows.value);
      const earlier = run?.id === id && toasts.value.some((one) => one.id === run?.toastId) ? run : undefined;
      const before = earlier?.after === present.join() ? earlier.before : present;
      if (earlier?.toastId !== undefined) dismiss(earlier.toastId);
      rearrange(rearrangement);
      const title = rows.value.find(({ experienceId }) => experienceId === id)?.title ?? id;
      const position = rearrangement(visible).indexOf(id) + 1;
      announcement.value = texts.position(title, position, visible.length);
      toast(texts.moved(title), { action: { label: texts.undo, run: () => undo(id, title, before) } });
      run = { id, before, after: idsOf(rows.value).join(), toastId: toasts.value.at(-1)?.id };
      void save(rearrangement, texts.movedBeside);
    },
  };
}
