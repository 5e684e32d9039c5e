import { useSignal } from '@preact/signals';
import { messageOf, request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choices, TextField } from '../../parts/field.tsx';
import { projects } from '../../state/projects.ts';
import { texts } from '../../texts.ts';

const all = 'all';

export function AddOperator({ onAdded, onClose }: { onAdded(token: string): void; onClose(): void }) {
  const name = useSignal('');
  const role = useSignal('viewer');
  const scope = useSignal<string[]>([all]);
  const problem = useSignal<string | undefined>(undefined);
  const add = async (event: Event) => {
    event.preventDefault();
    problem.value = undefined;
    try {
      const projectIds = scope.value.includes(all) ? undefined : scope.value;
      const body = {
        name: name.value.trim(),
        role: role.value,
        ...(projectIds === undefined ? {} : { projectIds }),
      };
      const { token } = await request<{ token: string }>('operators', { method: 'POST', body });
      onAdded(token);
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  const chooseProjects = (chosen: string[]) => {
    const added = chosen.filter((one) => !scope.value.includes(one));
    scope.value = added.includes(all) || chosen.length === 0 ? [all] : chosen.filter((one) => one !== all);
  };
  return (
    <Dialog title={texts.team.addTitle} onClose={onClose}>
      <form class="stack" onSubmit={add}>
        <TextField
          label={texts.team.name}
          value={name.value}
          problem={problem.value}
          maxLength={100}
          required
          autoFocus
          onInput={(value) => {
            name.value = value;
          }}
        />
        <Choices
          label={texts.team.role}
          type="radio"
          options={Object.entries(texts.team.roles).map(([value, label]) => ({ value, label }))}
          chosen={[role.value]}
          onChange={([chosen = 'viewer']) => {
            role.value = chosen;
          }}
        />
        <Choices
          label={texts.team.limit}
          type="checkbox"
          options={[
            { value: all, label: texts.team.all },
            ...(projects.value ?? []).map(({ projectId, name }) => ({ value: projectId, label: name })),
          ]}
          chosen={scope.value}
          onChange={chooseProjects}
        />
        <div class="dialog-foot">
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button type="submit" look="primary">
            {texts.team.add}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
