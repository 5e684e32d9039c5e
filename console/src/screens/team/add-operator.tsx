import { useSignal } from '@preact/signals';
import type { Role } from '@session-launch/contract/roles';
import { messageOf, request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choices, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { me } from '../../state/me.ts';
import { projects } from '../../state/projects.ts';
import { useTyped } from '../../state/typed.ts';
import { texts } from '../../texts/texts.ts';

const all = 'all';

export function AddOperator({ onAdded, onClose }: { onAdded(token: string): void; onClose(): void }) {
  // An operator limited to projects can add only operators limited to these.
  const own = me.value?.operator.projectIds ?? undefined;
  const everything = own ?? [all];
  const typed = useTyped<{ name: string; role: Role; scope: string[] }>('add-operator', {
    name: '',
    role: 'viewer',
    scope: everything,
  });
  const { name, role, scope } = typed.value;
  const problem = useSignal<string | undefined>(undefined);
  const add = async () => {
    problem.value = undefined;
    try {
      const { token } = await request('POST /admin/operators', {
        body: { name: name.trim(), role, projectIds: scope.includes(all) ? undefined : scope },
      });
      typed.forget();
      onAdded(token);
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  const chooseProjects = (chosen: string[]) => {
    const added = chosen.filter((one) => !scope.includes(one));
    const isAll = added.includes(all) || chosen.length === 0;
    typed.set({ scope: isAll ? everything : chosen.filter((one) => one !== all) });
  };
  const close = () => {
    typed.forget();
    onClose();
  };
  return (
    <Dialog title={texts.team.addTitle} onClose={close}>
      <Form onSubmit={add}>
        <TextField
          label={texts.team.name}
          value={name}
          problem={problem.value}
          maxLength={200}
          required
          autoFocus
          onInput={(value) => typed.set({ name: value })}
        />
        <Choices
          label={texts.team.role}
          type="radio"
          options={Object.entries(texts.team.roles).map(([value, label]) => ({ value, label }))}
          chosen={[role]}
          onChange={([chosen = 'viewer']) => typed.set({ role: chosen as Role })}
        />
        <Choices
          label={texts.team.limit}
          type="checkbox"
          options={[
            ...(own === undefined ? [{ value: all, label: texts.team.all }] : []),
            ...(projects.value ?? []).map(({ projectId, name }) => ({ value: projectId, label: name })),
          ]}
          chosen={scope}
          onChange={chooseProjects}
        />
        <div class="dialog-foot">
          <Button onPress={close}>{texts.cancel}</Button>
          <Button type="submit" look="primary">
            {texts.team.add}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
