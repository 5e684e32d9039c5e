import { useSignal } from '@preact/signals';
import type { CreatedApiKey, KeyMode } from '@session-launch/contract/admin/keys';
import type { Scope } from '@session-launch/contract/operation';
import { messageOf, request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choices, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { may } from '../../state/me.ts';
import { useTyped } from '../../state/typed.ts';
import { texts } from '../../texts/texts.ts';

interface CreateKeyProps {
  projectId: string;
  onCreated(key: CreatedApiKey): void;
  onClose(): void;
}

export function CreateKey({ projectId, onCreated, onClose }: CreateKeyProps) {
  const typed = useTyped<{ name: string; mode: KeyMode; scopes: Scope[] }>(`create-key ${projectId}`, {
    name: '',
    mode: 'test',
    scopes: ['sessions:create'],
  });
  const { name, mode, scopes } = typed.value;
  const problem = useSignal<string | undefined>(undefined);
  const create = async () => {
    problem.value = undefined;
    try {
      const created = await request('POST /admin/projects/{projectId}/keys', {
        params: { projectId },
        body: { mode, scopes, name: name.trim() || undefined },
      });
      typed.forget();
      onCreated(created);
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  const close = () => {
    typed.forget();
    onClose();
  };
  const modes: KeyMode[] = may('manage-projects') ? ['test', 'live'] : ['test'];
  return (
    <Dialog title={texts.keys.create} onClose={close}>
      <Form onSubmit={create}>
        <TextField
          label={texts.keys.name}
          help={texts.keys.nameHelp}
          value={name}
          maxLength={200}
          autoFocus
          onInput={(value) => typed.set({ name: value })}
        />
        <Choices
          label={texts.keys.mode}
          help={modes.length === 1 ? texts.keys.liveNote : undefined}
          type="radio"
          options={modes.map((value) => ({ value, label: texts.keys[value] }))}
          chosen={[mode]}
          onChange={([chosen]) => typed.set({ mode: chosen as KeyMode })}
        />
        <Choices
          label={texts.keys.scopes}
          type="checkbox"
          options={Object.entries(texts.keys.scopeNames).map(([value, label]) => ({ value, label }))}
          chosen={scopes}
          problem={problem.value}
          onChange={(chosen) => typed.set({ scopes: chosen as Scope[] })}
        />
        <div class="dialog-foot">
          <Button onPress={close}>{texts.cancel}</Button>
          <Button type="submit" look="primary" disabled={scopes.length === 0}>
            {texts.keys.create}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
