import { useSignal } from '@preact/signals';
import type { SimulatedCase } from '@session-launch/contract/admin/simulation';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Select, TextField } from '../../../parts/field.tsx';
import { languagesTexts } from '../../../texts/editor/languages.ts';
import { texts } from '../../../texts/texts.ts';

const caseTexts = languagesTexts.simulator;

interface CaseDialogProps {
  /** Absent for a new case. */
  one: SimulatedCase | undefined;
  onSave(one: SimulatedCase): void;
  onClose(): void;
}

const textFields = [
  ['locale', caseTexts.localeHelp],
  ['secondaryLocale', caseTexts.secondaryHelp],
  ['learningLocale', caseTexts.learningHelp],
] as const;

export function CaseDialog({ one, onSave, onClose }: CaseDialogProps) {
  const fields = useSignal<SimulatedCase>(one ?? { door: 'browser' });
  const { door: endpoint, language = '', acceptLanguage = '' } = fields.value;
  const set = (change: Partial<SimulatedCase>) => {
    fields.value = { ...fields.value, ...change };
  };
  const save = (event: Event) => {
    event.preventDefault();
    const sent = Object.entries(fields.value).filter(
      ([name, value]) => value.trim() !== '' && !(name === 'acceptLanguage' && endpoint === 'server'),
    );
    onSave(Object.fromEntries(sent) as SimulatedCase);
    onClose();
  };
  return (
    <Dialog title={one === undefined ? caseTexts.addTitle : caseTexts.changeTitle} onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <Select
          label={caseTexts.endpoint}
          value={endpoint}
          options={Object.entries(caseTexts.endpoints).map(([value, label]) => ({ value, label }))}
          onChange={(chosen) => set({ door: chosen as SimulatedCase['door'] })}
        />
        {textFields.map(([name, help]) => (
          <TextField
            key={name}
            label={caseTexts[name]}
            help={help}
            value={fields.value[name] ?? ''}
            onInput={(text) => set({ [name]: text })}
          />
        ))}
        <Select
          label={caseTexts.language}
          help={caseTexts.languageHelp}
          value={language}
          options={[
            { value: '', label: caseTexts.noLanguage },
            { value: 'en', label: 'en' },
            { value: 'es', label: 'es' },
          ]}
          onChange={(chosen) => set({ language: chosen })}
        />
        <TextField
          label={caseTexts.acceptLanguage}
          help={caseTexts.acceptHelp}
          value={acceptLanguage}
          disabled={endpoint === 'server'}
          onInput={(text) => set({ acceptLanguage: text })}
        />
        <div class="dialog-foot">
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button look="primary" type="submit">
            {caseTexts.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
