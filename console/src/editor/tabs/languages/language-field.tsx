import { useSignal } from '@preact/signals';
import { Select, TextField } from '../../../parts/field.tsx';
import { languagesTexts } from '../../../texts/editor/languages.ts';
import { languageOptions } from '../../document/language-options.ts';

interface LanguageFieldProps {
  label: string;
  help?: string | undefined;
  problem?: string | undefined;
  value: string;
  disabled: boolean;
  onChange(tag: string): void;
}

const other = 'other';

/** A language, chosen by its name or written as a tag. */
export function LanguageField({ label, help, problem, value, disabled, onChange }: LanguageFieldProps) {
  const isOther = useSignal(false);
  const options = languageOptions(value === '' || isOther.value ? [] : [value]);
  return (
    <>
      <Select
        label={label}
        help={help}
        problem={isOther.value ? undefined : problem}
        value={isOther.value ? other : value}
        options={[...options, { value: other, label: languagesTexts.other }]}
        disabled={disabled}
        onChange={(chosen) => {
          isOther.value = chosen === other;
          onChange(chosen === other ? '' : chosen);
        }}
      />
      {isOther.value ? (
        <TextField
          label={languagesTexts.tag}
          help={languagesTexts.tagHelp}
          problem={problem}
          value={value}
          disabled={disabled}
          onInput={onChange}
          required
        />
      ) : null}
    </>
  );
}
