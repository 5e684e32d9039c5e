import type { OperatorRecord } from '@session-launch/contract/admin/operators';
import { roles } from '@session-launch/contract/roles';
import { messageOf, request } from '../../api/client.ts';
import { Select } from '../../parts/field.tsx';
import { toast } from '../../state/toasts.ts';
import { texts } from '../../texts.ts';

/** Changes the role of an operator at once; the toast offers a way back. */
export function RoleSelect({ operator, onChanged }: { operator: OperatorRecord; onChanged(): unknown }) {
  const { operatorId, name, role } = operator;
  const set = async (next: string) => {
    try {
      await request(`operators/${operatorId}`, { method: 'PATCH', body: { role: next } });
      if (next !== role)
        toast(texts.team.saved, { action: { label: texts.undo, run: () => void set(role) } });
    } catch (error) {
      toast(messageOf(error), { tone: 'bad' });
    }
    await onChanged();
  };
  return (
    <Select
      label={texts.team.roleOf(name)}
      isLabelHidden
      value={role}
      options={roles.map((value) => ({ value, label: value }))}
      onChange={(value) => void set(value)}
    />
  );
}
