import { type Signal, signal } from '@preact/signals';

/** Where a dragged row would be dropped. */
export interface Drop {
  id: string;
  side: 'before' | 'after';
}

export interface Drag {
  /** The row that is dragged. */
  readonly dragged: Signal<string | undefined>;
  readonly drop: Signal<Drop | undefined>;
  /** Starts dragging a row by its handle, with a mouse, a pen or a finger. */
  start(event: PointerEvent, id: string): void;
  /** Cancels the drag, if there is one. Call it when the list is unmounted. */
  stop(): void;
}

/** Distance from the edge of the window in which dragging scrolls, and how far it scrolls each time, in pixels. */
const edge = 56;
const scrollStep = 14;
const scrollEveryMs = 16;

/** Drags the items of a list, which have their id in `data-id`. Escape cancels it. */
export function createDrag(
  list: () => HTMLElement | null,
  onDrop: (id: string, drop: Drop) => void,
  onEnd: () => void,
): Drag {
  const dragged = signal<string | undefined>(undefined);
  const drop = signal<Drop | undefined>(undefined);
  /** Ends the present drag without a drop. */
  let cancel: (() => void) | undefined;

  const start = (event: PointerEvent, id: string) => {
    if (event.button !== 0 || cancel !== undefined) return;
    event.preventDefault();
    const handle = event.currentTarget as HTMLElement;
    handle.setPointerCapture(event.pointerId);
    dragged.value = id;
    let at = event.clientY;
    const scrolling = setInterval(() => {
      const step = at < edge ? -scrollStep : at > innerHeight - edge ? scrollStep : 0;
      if (step === 0) return;
      scrollBy(0, step);
      drop.value = dropAt(list(), at, id);
    }, scrollEveryMs);
    const stop = new AbortController();
    const end = (isDropped: boolean) => {
      stop.abort();
      clearInterval(scrolling);
      cancel = undefined;
      const target = drop.value;
      dragged.value = undefined;
      drop.value = undefined;
      if (isDropped && target !== undefined) onDrop(id, target);
      onEnd();
    };
    cancel = () => end(false);
    const { signal } = stop;
    handle.addEventListener(
      'pointermove',
      ({ clientY }) => {
        at = clientY;
        drop.value = dropAt(list(), at, id);
      },
      { signal },
    );
    handle.addEventListener('pointerup', () => end(true), { signal });
    handle.addEventListener('pointercancel', () => end(false), { signal });
    // On the window: if the row was removed, the event is dispatched on the document instead of the handle.
    addEventListener(
      'lostpointercapture',
      ({ pointerId }) => {
        if (pointerId === event.pointerId) end(false);
      },
      { signal },
    );
    addEventListener(
      'keydown',
      (pressed) => {
        if (pressed.key === 'Escape') end(false);
      },
      { signal },
    );
  };
  return { dragged, drop, start, stop: () => cancel?.() };
}

/** The place at this height of the window, or `undefined` if the row would stay where it is. */
function dropAt(list: HTMLElement | null, y: number, dragged: string): Drop | undefined {
  const items = [...(list?.querySelectorAll<HTMLElement>('[data-id]') ?? [])];
  const boxes = items.map((item) => ({ id: item.dataset.id ?? '', box: item.getBoundingClientRect() }));
  const after = boxes.findLastIndex(({ box }) => box.top + box.height / 2 < y);
  const from = boxes.findIndex(({ id }) => id === dragged);
  if (after === from || after === from - 1) return undefined;
  return after === -1 ? { id: boxes[0]!.id, side: 'before' } : { id: boxes[after]!.id, side: 'after' };
}
