import { useSignal } from '@preact/signals';
import type { CreatedApiKey, KeyMode } from '@session-launch/contract/admin/keys';
import { messageOf, request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choices, TextField } from '../../parts/field.tsx';
import { may } from '../../state/me.ts';
import { texts } from '../../texts.ts';

interface CreateKeyProps {
  projectId: string;
  onCreated(key: CreatedApiKey): void;
  onClose(): void;
}

export function CreateKey({ projectId, onCreated, onClose }: CreateKeyProps) {
  const name = useSignal('');
  const mode = useSignal<KeyMode>('test');
  const scopes = useSignal<string[]>(['sessions:create']);
  const problem = useSignal<string | undefined>(undefined);
  const create = async (event: Event) => {
    event.preventDefault();
    problem.value = undefined;
    try {
      const written = name.value.trim();
      const body = { mode: mode.value, scopes: scopes.value, ...(written === '' ? {} : { name: written }) };
      onCreated(await request<CreatedApiKey>(`projects/${projectId}/keys`, { method: 'POST', body }));
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  const modes: KeyMode[] = may('manage-projects') ? ['test', 'live'] : ['test'];
  return (
    <Dialog title={texts.keys.create} onClose={onClose}>
      <form class="stack" onSubmit={create}>
        <TextField
          label={texts.keys.name}
          help={texts.keys.nameHelp}
          value={name.value}
          maxLength={200}
          autoFocus
          onInput={(value) => {
            name.value = value;
          }}
        />
        <Choices
          label={texts.keys.mode}
          help={modes.length === 1 ? texts.keys.liveNote : undefined}
          type="radio"
          options={modes.map((value) => ({ value, label: texts.keys[value] }))}
          chosen={[mode.value]}
          onChange={([chosen]) => {
            mode.value = chosen as KeyMode;
          }}
        />
        <Choices
          label={texts.keys.scopes}
          type="checkbox"
          options={Object.entries(texts.keys.scopeNames).map(([value, label]) => ({ value, label }))}
          chosen={scopes.value}
          problem={problem.value}
          onChange={(chosen) => {
            scopes.value = chosen;
          }}
        />
        <div class="dialog-foot">
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button type="submit" look="primary" disabled={scopes.value.length === 0}>
            {texts.keys.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
