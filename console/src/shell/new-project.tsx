import { useSignal } from '@preact/signals';
import { ApiFailure, messageOf, request } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { idFrom } from '../state/ids.ts';
import { loadProjects } from '../state/projects.ts';
import { goTo, hashOf } from '../state/route.ts';
import { toast } from '../state/toasts.ts';
import { texts } from '../texts.ts';

export function NewProject({ onClose }: { onClose(): void }) {
  const name = useSignal('');
  const typedId = useSignal<string | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const id = typedId.value ?? idFrom('prj', name.value);
  const create = async (event: Event) => {
    event.preventDefault();
    problem.value = undefined;
    try {
      await request('projects', {
        method: 'POST',
        // Version 0: refuses to overwrite a project that exists.
        query: { source: 'console', expect: '0' },
        body: { project: { id, name: name.value.trim(), browserEmbeds: true } },
      });
      await loadProjects();
      onClose();
      toast(texts.newProject.created(name.value));
      goTo(hashOf([id, 'overview']));
    } catch (error) {
      const isTaken = error instanceof ApiFailure && error.code === 'VERSION_CONFLICT';
      problem.value = isTaken ? texts.newProject.taken(id) : messageOf(error);
    }
  };
  return (
    <Dialog title={texts.newProject.title} onClose={onClose}>
      <form class="stack" onSubmit={create}>
        <TextField
          label={texts.newProject.name}
          help={texts.newProject.nameHelp}
          value={name.value}
          onInput={(value) => {
            name.value = value;
          }}
          problem={problem.value}
          maxLength={200}
          required
          autoFocus
        />
        <TextField
          label={texts.newProject.id}
          help={texts.newProject.idHelp}
          value={id}
          onInput={(value) => {
            typedId.value = value;
          }}
          required
        />
        <div class="dialog-foot">
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button type="submit" look="primary">
            {texts.newProject.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
