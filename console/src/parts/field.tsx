import './field.css';
import type { ComponentChildren, RefObject } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { lengthState } from './length.tsx';

interface FieldProps {
  label: string;
  /** Whether only screen readers get the label, in tables. */
  isLabelHidden?: boolean;
  help?: ComponentChildren;
  problem?: string | undefined;
  disabled?: boolean | undefined;
}

interface TextFieldProps extends FieldProps {
  value: string;
  onInput(value: string): void;
  /** Called when the field is left or Enter is pressed. */
  onChange?(value: string): void;
  type?: 'text' | 'password' | 'number' | 'search' | 'date' | 'datetime-local';
  required?: boolean;
  /** Maximum number of characters. A longer text is kept, with a problem. */
  maxLength?: number | undefined;
  placeholder?: string | undefined;
  autoComplete?: string;
  rows?: number | undefined;
  autoFocus?: boolean;
}

export function TextField(props: TextFieldProps) {
  const {
    label,
    isLabelHidden,
    help,
    value,
    onInput,
    onChange,
    type = 'text',
    required,
    maxLength,
    placeholder,
    autoComplete = 'off',
    rows,
    autoFocus,
    disabled,
  } = props;
  const id = useId();
  const field = useRef<HTMLElement>(null);
  const length = lengthState(id, value, maxLength);
  // The service's problem with such a text would say the same.
  const problem = length.isTooLong ? undefined : props.problem;
  useLayoutEffect(() => length.check(field.current as HTMLInputElement | null), [value, maxLength]);
  const shared = {
    id,
    value,
    required,
    placeholder,
    autoComplete,
    autoFocus,
    disabled,
    'aria-invalid': problem === undefined && !length.isTooLong ? undefined : ('true' as const),
    'aria-describedby': describedBy(id, help, problem, length.noteId),
  };
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'hidden-text' : undefined}>
        {label}
      </label>
      {rows === undefined ? (
        <input
          {...shared}
          ref={field as RefObject<HTMLInputElement>}
          type={type as 'text'}
          onChange={({ currentTarget }) => onChange?.(currentTarget.value)}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      ) : (
        <textarea
          {...shared}
          ref={field as RefObject<HTMLTextAreaElement>}
          rows={rows}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
      <Notes id={id} help={help} problem={problem} />
      {length.note}
    </div>
  );
}

interface SelectProps extends FieldProps {
  value: string;
  options: readonly { value: string; label: string }[];
  onChange(value: string): void;
  onKeyDown?(event: KeyboardEvent): void;
  onPointerDown?(): void;
}

export function Select(props: SelectProps) {
  const { label, isLabelHidden, help, problem, value, options, onChange, disabled } = props;
  const { onKeyDown, onPointerDown } = props;
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'hidden-text' : undefined}>
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={disabled}
        // The browser truncates a long label.
        title={options.find((option) => option.value === value)?.label}
        aria-describedby={describedBy(id, help, problem)}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Notes id={id} help={help} problem={problem} />
    </div>
  );
}

interface ChoicesProps extends FieldProps {
  type: 'checkbox' | 'radio';
  options: readonly { value: string; label: ComponentChildren }[];
  chosen: readonly string[];
  onChange(chosen: string[]): void;
}

export function Choices(props: ChoicesProps) {
  const { label, help, problem, type, options, chosen, onChange, disabled } = props;
  const id = useId();
  const change = (value: string, isChecked: boolean) => {
    if (type === 'radio') onChange([value]);
    else onChange(isChecked ? [...chosen, value] : chosen.filter((one) => one !== value));
  };
  return (
    <div class="field">
      <fieldset class="choices" disabled={disabled} aria-describedby={describedBy(id, help, problem)}>
        <legend>{label}</legend>
        {options.map((option) => (
          <label key={option.value}>
            <input
              type={type}
              name={id}
              checked={chosen.includes(option.value)}
              onChange={({ currentTarget }) => change(option.value, currentTarget.checked)}
            />
            <span>{option.label}</span>
          </label>
        ))}
      </fieldset>
      <Notes id={id} help={help} problem={problem} />
    </div>
  );
}

function describedBy(
  id: string,
  help: unknown,
  problem: string | undefined,
  lengthId?: string,
): string | undefined {
  const ids = [
    help === undefined ? '' : `${id}-help`,
    problem === undefined ? '' : `${id}-problem`,
    lengthId,
  ].filter(Boolean);
  return ids.length === 0 ? undefined : ids.join(' ');
}

function Notes({ id, help, problem }: { id: string; help: ComponentChildren; problem: string | undefined }) {
  return (
    <>
      {help === undefined ? null : (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
      {problem === undefined ? null : (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </>
  );
}
