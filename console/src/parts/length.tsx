import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { texts } from '../texts/texts.ts';

/** Share of the maximum from which the number of characters is shown. */
const nearly = 0.9;

const pairs = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;

/** The number of characters as the service counts them: Unicode code points, not the UTF-16 units that `maxlength` counts. */
export function lengthOf(text: string): number {
  return text.length - (text.match(pairs)?.length ?? 0);
}

/** How many characters a text has too many. */
export function excessOf(text: string, max = Number.POSITIVE_INFINITY): number {
  return text.length <= max ? 0 : Math.max(0, lengthOf(text) - max);
}

/** What is shown about the length of a text: nothing far below the maximum. The attributes are those of its field. */
export function lengthState(id: string, text: string, max: number | undefined) {
  const excess = excessOf(text, max);
  const isNear = max !== undefined && text.length >= max * nearly && lengthOf(text) >= max * nearly;
  return {
    isTooLong: excess > 0,
    /** The id of the note, for `aria-describedby`. */
    noteId: isNear ? `${id}-length` : undefined,
    note: !isNear ? null : (
      <LengthNote id={`${id}-length`} count={lengthOf(text)} max={max} excess={excess} />
    ),
    /** Lets the browser refuse to send the form of a text that is too long. It focuses the field and shows the message. */
    check(field: HTMLInputElement | HTMLTextAreaElement | null) {
      field?.setCustomValidity(excess > 0 ? texts.length.excess(excess, max!) : '');
    },
  };
}

/** The number of characters, or by how many they exceed the maximum. Screen readers announce only that the text became too long. */
function LengthNote({ id, count, max, excess }: { id: string; count: number; max: number; excess: number }) {
  const isTooLong = excess > 0;
  const announced = useSignal('');
  // After the live region is rendered: screen readers do not announce the text that it begins with.
  useEffect(() => {
    announced.value = isTooLong ? texts.length.excess(excess, max) : '';
  }, [isTooLong]);
  return (
    <>
      <p class={isTooLong ? 'problem' : 'help number'} id={id}>
        {isTooLong ? texts.length.excess(excess, max) : texts.length.count(count, max)}
      </p>
      <span class="hidden-text" role="status">
        {announced.value}
      </span>
    </>
  );
}
