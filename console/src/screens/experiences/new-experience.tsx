import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { createExperience, type Taken } from '../../state/create-experience.ts';
import { goTo, hashOf } from '../../state/route.ts';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';
import { newExperienceTexts as texts } from '../../texts/new-experience.ts';
import { shellTexts } from '../../texts/shell.ts';
import { contentOf, type TemplateName, templates } from './templates/templates.ts';
import { pictureUrl, Thumbnail } from './thumbnail.tsx';

interface NewExperienceProps {
  projectId: string;
  taken: readonly Taken[];
  onClose(): void;
}

/** Creates a draft from a template and opens it. A title is enough. */
export function NewExperience({ projectId, taken, onClose }: NewExperienceProps) {
  const title = useSignal('');
  const template = useSignal<TemplateName>('guide');
  const problem = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const create = async (event: Event) => {
    event.preventDefault();
    const written = title.value.trim();
    if (isBusy.value) return;
    set(problem, written === '' ? texts.noTitle : undefined);
    if (written === '') {
      (event.currentTarget as HTMLFormElement).querySelector('input')?.focus();
      return;
    }
    set(isBusy, true);
    try {
      const content = contentOf(template.value, await hasArt(template.value));
      const { experience } = await createExperience(projectId, written, content, taken);
      toast(texts.created(written));
      onClose();
      goTo(hashOf([projectId, 'experiences', (experience as { id: string }).id, 'setup']));
    } catch (error) {
      set(problem, messageOf(error));
    } finally {
      set(isBusy, false);
    }
  };
  return (
    <Dialog title={texts.title} onClose={onClose} isWide>
      <form class="stack" onSubmit={create}>
        <TextField
          label={texts.name}
          help={texts.titleHelp}
          value={title.value}
          problem={problem.value}
          maxLength={200}
          required
          autoFocus
          onInput={(value) => set(title, value)}
        />
        <TemplateCards chosen={template.value} onChoose={(name) => set(template, name)} />
        <div class="dialog-foot">
          <Button onPress={onClose}>{shellTexts.cancel}</Button>
          <Button type="submit" look="primary" disabled={isBusy.value}>
            {texts.button}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function TemplateCards({ chosen, onChoose }: { chosen: TemplateName; onChoose(name: TemplateName): void }) {
  const id = useId();
  return (
    <fieldset class="templates">
      <legend>{texts.template}</legend>
      {(Object.keys(templates) as TemplateName[]).map((name) => (
        <label key={name}>
          <input
            type="radio"
            name={id}
            aria-describedby={`${id}-${name}`}
            checked={chosen === name}
            onChange={() => onChoose(name)}
          />
          <TemplatePicture name={name} />
          <span>
            <strong>{texts.templates[name].name}</strong>
            <span id={`${id}-${name}`} class="soft">
              {texts.templates[name].text}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function TemplatePicture({ name }: { name: TemplateName }) {
  const { galleryThumb, thumbnailPath } = contentOf(name, true);
  return (
    <Thumbnail
      title={texts.templates[name].name}
      {...(galleryThumb === undefined ? {} : { galleryThumb })}
      {...(thumbnailPath === undefined ? {} : { thumbnailPath })}
    />
  );
}

/** Whether the service has the pictures of the demo, which are missing if ASSETS_DIR is another folder. */
async function hasArt(name: TemplateName): Promise<boolean> {
  const { thumbnailPath } = contentOf(name, true);
  if (thumbnailPath === undefined) return false;
  return fetch(pictureUrl(thumbnailPath)).then(
    ({ ok }) => ok,
    () => false,
  );
}
