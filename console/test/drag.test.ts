import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDrag } from '../src/screens/experiences/drag.ts';

const page = new EventTarget();
const scrollBy = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  scrollBy.mockClear();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('scrollBy', scrollBy);
  vi.stubGlobal('innerHeight', 800);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Starts a drag at the lower edge of the window, where it scrolls. */
function dragAtEdge() {
  const onDrop = vi.fn();
  const onEnd = vi.fn();
  const drag = createDrag(() => null, onDrop, onEnd);
  const handle = Object.assign(new EventTarget(), { setPointerCapture: () => {} });
  const event = { button: 0, pointerId: 7, clientY: 790, currentTarget: handle, preventDefault: () => {} };
  drag.start(event as unknown as PointerEvent, 'exp_1');
  vi.advanceTimersByTime(100);
  expect(scrollBy).toHaveBeenCalled();
  scrollBy.mockClear();
  return { drag, onDrop, onEnd };
}

const lostCapture = (pointerId: number) =>
  page.dispatchEvent(Object.assign(new Event('lostpointercapture'), { pointerId }));

test.each([
  ['the list is unmounted', ({ stop }: { stop(): void }) => stop()],
  ['the pointer capture is lost', () => lostCapture(7)],
])('stops scrolling and drops nothing when %s', (_, end) => {
  const { drag, onDrop, onEnd } = dragAtEdge();
  end(drag);
  vi.advanceTimersByTime(1_000);
  expect(scrollBy).not.toHaveBeenCalled();
  expect(drag.dragged.value).toBeUndefined();
  expect(onDrop).not.toHaveBeenCalled();
  drag.stop();
  expect(onEnd).toHaveBeenCalledTimes(1);
});

test('continues when another pointer loses its capture', () => {
  const { drag, onEnd } = dragAtEdge();
  lostCapture(8);
  vi.advanceTimersByTime(100);
  expect(scrollBy).toHaveBeenCalled();
  expect(onEnd).not.toHaveBeenCalled();
  drag.stop();
});
