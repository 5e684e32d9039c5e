import { useSignal } from '@preact/signals';
import { isConflict, messageOf, request } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { idFrom } from '../state/ids.ts';
import { loadProjects } from '../state/projects.ts';
import { goTo, hashOf } from '../state/route.ts';
import { toast } from '../state/toasts.ts';
import { useTyped } from '../state/typed.ts';
import { texts } from '../texts/texts.ts';

export function NewProject({ onClose }: { onClose(): void }) {
  const typed = useTyped<{ name: string; id?: string }>('new-project', { name: '' });
  const problem = useSignal<string | undefined>(undefined);
  const { name, id = idFrom('prj', name) } = typed.value;
  const close = () => {
    typed.forget();
    onClose();
  };
  const create = async () => {
    problem.value = undefined;
    try {
      const project = { id, name: name.trim(), browserEmbeds: true };
      await request('POST /admin/projects', {
        // Version 0: refuses to overwrite a project that exists.
        query: { source: 'console', expect: '0' },
        file: new Blob([JSON.stringify({ project })], { type: 'application/json' }),
      });
      await loadProjects();
      close();
      toast(texts.newProject.created(name));
      goTo(hashOf([id, 'overview']));
    } catch (error) {
      problem.value = isConflict(error) ? texts.newProject.taken(id) : messageOf(error);
    }
  };
  return (
    <Dialog title={texts.newProject.title} onClose={close}>
      <Form onSubmit={create}>
        <TextField
          label={texts.newProject.name}
          help={texts.newProject.nameHelp}
          value={name}
          onInput={(value) => typed.set({ name: value })}
          problem={problem.value}
          maxLength={200}
          required
          autoFocus
        />
        <TextField
          label={texts.newProject.id}
          help={texts.newProject.idHelp}
          value={id}
          onInput={(value) => typed.set({ id: value })}
          required
        />
        <div class="dialog-foot">
          <Button onPress={close}>{texts.cancel}</Button>
          <Button type="submit" look="primary">
            {texts.newProject.create}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
