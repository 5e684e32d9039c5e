import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Select } from './field.tsx';

interface Option {
  value: string;
  label: string;
}

interface ApplySelectProps {
  label: string;
  isLabelHidden?: boolean;
  value: string;
  options: readonly Option[];
  /** The text of the button that applies a choice, and its accessible name, which begins with the text. */
  button(option: Option): { text: string; name: string };
  /** Whether a choice with the pointer is applied without the button. */
  isDirect?: boolean;
  onApply(value: string): unknown;
}

/**
 * A select whose choice is applied with Enter or a button that appears beside it. The arrow keys change a closed select at each step, so
 * a change by keyboard is not yet a decision.
 */
export function ApplySelect(props: ApplySelectProps) {
  const { label, isLabelHidden = false, value, options, button, isDirect = false, onApply } = props;
  const ref = useRef<HTMLDivElement>(null);
  const isByKey = useRef(false);
  const isBusy = useRef(false);
  /** The choice that is not applied yet. It is dropped when the value changes. */
  const chosen = useSignal<{ from: string; to: string } | undefined>(undefined);
  const pending = chosen.value?.from === value && chosen.value.to !== value ? chosen.value.to : undefined;
  const option = options.find((one) => one.value === pending);
  const apply = async (next: string) => {
    if (isBusy.current) return;
    isBusy.current = true;
    // The button disappears with the focus.
    if (ref.current?.contains(document.activeElement)) selectIn(ref.current)?.focus();
    try {
      await onApply(next);
    } finally {
      isBusy.current = false;
      chosen.value = undefined;
    }
  };
  const change = (next: string) => {
    chosen.value = { from: value, to: next };
    if (isDirect && !isByKey.current) void apply(next);
  };
  const press = (event: KeyboardEvent) => {
    isByKey.current = true;
    const next = selectIn(ref.current)?.value ?? value;
    if (event.key !== 'Enter' || next === value) return;
    // Otherwise Chromium opens the list.
    event.preventDefault();
    void apply(next);
  };
  const { text, name } = option === undefined ? { text: '', name: '' } : button(option);
  return (
    <div ref={ref} class="apply-select">
      <Select
        label={label}
        isLabelHidden={isLabelHidden}
        value={pending ?? value}
        options={options}
        onChange={change}
        onKeyDown={press}
        onPointerDown={() => {
          isByKey.current = false;
        }}
      />
      {option === undefined ? null : (
        <Button label={name} onPress={() => apply(option.value)}>
          {text}
        </Button>
      )}
      <span class="hidden-text" role="status">
        {option === undefined ? '' : texts.enterApplies(name)}
      </span>
    </div>
  );
}

function selectIn(element: HTMLElement | null): HTMLSelectElement | null {
  return element?.querySelector('select') ?? null;
}
