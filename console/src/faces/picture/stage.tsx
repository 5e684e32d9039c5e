import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { pictureTexts as texts } from '../../texts/editor/picture.ts';
import { type HandleId, type Handles, handleIds, moved, type Place, placed } from './handles.ts';
import type { View } from './view.ts';

/** A press takes the handle that is at most this far away, in CSS pixels. */
const reach = 32;
/** What an arrow key moves, as a fraction of the shown part; with Shift, this many times as much. */
const step = 0.004;
const largeSteps = 8;

interface StageProps {
  picture: HTMLCanvasElement;
  view: View;
  handles: Handles;
  /** `isSameStep`: whether undo takes this change back together with the one before. */
  onChange(handles: Handles, isSameStep: boolean): void;
}

/** The picture with the handles. */
export function Stage({ picture, view, handles, onChange }: StageProps) {
  const stage = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const dragged = useRef<{ id: HandleId; offset: Place; hasMoved: boolean } | undefined>(undefined);
  /** The handle that the keys have moved last. */
  const keyed = useRef<HandleId | undefined>(undefined);
  const told = useSignal('');
  useEffect(() => {
    const target = canvas.current!;
    const { width, height } = picture;
    target.width = Math.max(1, Math.round(view.width * width));
    target.height = Math.max(1, Math.round(view.height * height));
    target
      .getContext('2d')!
      .drawImage(
        picture,
        view.left * width,
        view.top * height,
        target.width,
        target.height,
        0,
        0,
        target.width,
        target.height,
      );
  }, [picture, view]);
  /** The place in the picture that an event is at. */
  const placeAt = ({ clientX, clientY }: PointerEvent): Place => {
    const { left, top, width, height } = stage.current!.getBoundingClientRect();
    return [
      view.left + ((clientX - left) / width) * view.width,
      view.top + ((clientY - top) / height) * view.height,
    ];
  };
  const press = (event: PointerEvent) => {
    if (event.button !== 0) return;
    // A finger beside the points scrolls the dialog.
    if (event.pointerType === 'touch' && !(event.target instanceof HTMLButtonElement)) return;
    const { width, height } = stage.current!.getBoundingClientRect();
    const [x, y] = placeAt(event);
    const away = (id: HandleId) =>
      Math.hypot(((handles[id][0] - x) / view.width) * width, ((handles[id][1] - y) / view.height) * height);
    const nearest = handleIds.reduce((best, id) => (away(id) < away(best) ? id : best));
    if (away(nearest) > reach) return;
    event.preventDefault();
    stage.current!.setPointerCapture(event.pointerId);
    stage.current!.querySelector<HTMLElement>(`[data-handle=${nearest}]`)?.focus({ preventScroll: true });
    const [handleX, handleY] = handles[nearest];
    dragged.current = { id: nearest, offset: [handleX - x, handleY - y], hasMoved: false };
  };
  const drag = (event: PointerEvent) => {
    const { current } = dragged;
    if (current === undefined) return;
    const [x, y] = placeAt(event);
    onChange(placed(handles, current.id, [x + current.offset[0], y + current.offset[1]]), current.hasMoved);
    current.hasMoved = true;
    keyed.current = undefined;
  };
  const release = () => {
    dragged.current = undefined;
  };
  const keyDown = (event: KeyboardEvent, id: HandleId) => {
    const direction = directions[event.key];
    if (direction === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const size = step * (event.shiftKey ? largeSteps : 1);
    const next = moved(handles, id, [direction[0] * size * view.width, direction[1] * size * view.height]);
    onChange(next, keyed.current === id);
    keyed.current = id;
    told.value = texts.at(...next[id]);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: no fieldset, because these are no fields
    <div
      ref={stage}
      class="picture-stage"
      role="group"
      aria-label={texts.stage}
      onPointerDown={press}
      onPointerMove={drag}
      onPointerUp={release}
      onPointerCancel={release}
    >
      <canvas ref={canvas} />
      {handleIds.map((id) => (
        <button
          key={id}
          type="button"
          class="picture-handle"
          data-handle={id}
          data-part={id.endsWith('Eye') ? 'eye' : id === 'chin' ? 'chin' : 'mouth'}
          aria-label={texts.handle(texts.handles[id], ...handles[id])}
          title={texts.handles[id]}
          style={{
            left: `${((handles[id][0] - view.left) / view.width) * 100}%`,
            top: `${((handles[id][1] - view.top) / view.height) * 100}%`,
          }}
          onKeyDown={(event) => keyDown(event, id)}
          onBlur={() => {
            keyed.current = undefined;
          }}
        />
      ))}
      <span class="hidden-text" role="status">
        {told.value}
      </span>
    </div>
  );
}

const directions: Record<string, Place> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
