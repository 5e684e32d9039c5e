import { useSignal } from '@preact/signals';
import { messageOf, request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choices, TextField } from '../../parts/field.tsx';
import { idFrom } from '../../state/ids.ts';
import { toast } from '../../state/toasts.ts';
import { texts } from '../../texts.ts';
import { type Template, templates } from './templates.ts';

interface NewExperienceProps {
  projectId: string;
  onCreated(): unknown;
  onClose(): void;
}

/** Creates a draft from a template. A title is enough. */
export function NewExperience({ projectId, onCreated, onClose }: NewExperienceProps) {
  const title = useSignal('');
  const template = useSignal<Template>('guide');
  const problem = useSignal<string | undefined>(undefined);
  const create = async (event: Event) => {
    event.preventDefault();
    problem.value = undefined;
    const written = title.value.trim();
    // The end of the id is random, so that two experiences may have one title.
    const end = Math.random().toString(36).slice(2, 6);
    const id = `${idFrom('exp', written)}_${end}`;
    const slug = `${idFrom('exp', written).slice(4).replaceAll('_', '-')}-${end}`;
    try {
      const experience = { id, slug, title: written, ...templates[template.value] };
      await request(`projects/${projectId}/experiences`, { method: 'POST', body: { experience } });
      toast(texts.experiences.created(written));
      onClose();
      await onCreated();
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  return (
    <Dialog title={texts.experiences.create} onClose={onClose}>
      <form class="stack" onSubmit={create}>
        <TextField
          label={texts.experiences.name}
          help={texts.experiences.titleHelp}
          value={title.value}
          problem={problem.value}
          maxLength={200}
          required
          autoFocus
          onInput={(value) => {
            title.value = value;
          }}
        />
        <Choices
          label={texts.experiences.template}
          type="radio"
          options={Object.entries(texts.experiences.templates).map(([value, label]) => ({ value, label }))}
          chosen={[template.value]}
          onChange={([chosen]) => {
            template.value = chosen as Template;
          }}
        />
        <div class="dialog-foot">
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button type="submit" look="primary">
            {texts.experiences.createButton}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
