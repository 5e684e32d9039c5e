import { Choices, Select, TextField } from '../../parts/field.tsx';
import { previewTexts } from '../../texts/editor/preview.ts';
import { languageName } from '../document/language-name.ts';
import { languageOptions } from '../document/language-options.ts';
import { usedLanguages } from '../document/used-languages.ts';
import type { Draft } from '../saving/draft.ts';
import { type Endpoint, type Visitor, visitor } from './visitor.ts';

/** How the visitor arrives: in which languages, at which endpoint, with or without a face. */
export function VisitorChoices({ draft, onChange }: { draft: Draft; onChange(): void }) {
  const { endpoint, locale, secondaryLocale, acceptLanguage, speechOnly } = visitor.value;
  const used = usedLanguages(draft.document.value);
  const isDual = draft.document.value.runtime.languages?.dual === true;
  const options = [
    ...used.map((value) => ({ value, label: languageName(value) })),
    ...languageOptions().filter(({ value }) => !used.includes(value)),
  ];
  const set = (change: Partial<Visitor>) => {
    visitor.value = { ...visitor.value, ...change };
    onChange();
  };
  return (
    <div class="visitor-fields">
      <Select
        label={previewTexts.language}
        value={locale}
        options={[{ value: '', label: previewTexts.asArrives }, ...options]}
        onChange={(chosen) => set({ locale: chosen })}
      />
      {isDual ? (
        <Select
          label={previewTexts.second}
          value={secondaryLocale}
          options={[{ value: '', label: previewTexts.asArrives }, ...options]}
          onChange={(chosen) => set({ secondaryLocale: chosen })}
        />
      ) : null}
      <Select
        label={previewTexts.endpoint}
        value={endpoint}
        options={Object.entries(previewTexts.endpoints).map(([value, label]) => ({ value, label }))}
        onChange={(chosen) => set({ endpoint: chosen as Endpoint })}
      />
      {endpoint === 'server' ? null : (
        <TextField
          label={previewTexts.browserLanguages}
          help={previewTexts.browserHelp}
          value={acceptLanguage}
          onInput={(text) => {
            visitor.value = { ...visitor.value, acceptLanguage: text };
          }}
          onChange={onChange}
        />
      )}
      <Choices
        label={previewTexts.appearance}
        type="checkbox"
        options={[{ value: 'voice', label: previewTexts.voiceOnly }]}
        chosen={speechOnly ? ['voice'] : []}
        onChange={(chosen) => set({ speechOnly: chosen.length > 0 })}
      />
    </div>
  );
}
