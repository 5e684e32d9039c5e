import type { OperatorList, OperatorRecord } from '@session-launch/contract/admin/operators';
import { roles } from '@session-launch/contract/roles';
import { messageOf, request } from '../../api/client.ts';
import { ApplySelect } from '../../parts/apply-select.tsx';
import { toast } from '../../state/toasts.ts';
import { texts } from '../../texts.ts';

/** Changes the role of an operator; the toast offers a way back. */
export function RoleSelect({ operator, onChanged }: { operator: OperatorRecord; onChanged(): unknown }) {
  const { operatorId, name, role } = operator;
  /** Changes nothing if the role is no longer `from`. Operators have no version, so this reads it just before. */
  const set = async (from: string, next: string) => {
    try {
      const { operators } = await request<OperatorList>('operators');
      const present = operators.find((one) => one.operatorId === operatorId)?.role ?? from;
      if (present !== from) toast(texts.team.roleChanged(name, present), { tone: 'bad' });
      else {
        await request(`operators/${operatorId}`, { method: 'PATCH', body: { role: next } });
        toast(texts.team.saved, { action: { label: texts.undo, run: () => void set(next, from) } });
      }
    } catch (error) {
      toast(messageOf(error), { tone: 'bad' });
    }
    await onChanged();
  };
  return (
    <ApplySelect
      label={texts.team.roleOf(name)}
      isLabelHidden
      value={role}
      options={roles.map((value) => ({ value, label: value }))}
      button={({ value }) => ({ text: texts.team.changeRole, name: texts.team.changeRoleOf(name, value) })}
      onApply={(value) => set(role, value)}
    />
  );
}
