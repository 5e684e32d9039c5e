import type { OperatorRecord } from '@session-launch/contract/admin/operators';
import { type Role, roles } from '@session-launch/contract/roles';
import { isConflict, messageOf, request } from '../../api/client.ts';
import { ApplySelect } from '../../parts/apply-select.tsx';
import { toast } from '../../state/toasts.ts';
import { texts } from '../../texts/texts.ts';

/** Changes the role of an operator; the toast offers a way back. */
export function RoleSelect({ operator, onChanged }: { operator: OperatorRecord; onChanged(): unknown }) {
  const { operatorId, name, role, version } = operator;
  const set = async (from: Role, next: Role, version: number) => {
    try {
      const changed = await request('PATCH /admin/operators/{operatorId}', {
        params: { operatorId },
        body: { role: next },
        version,
      });
      const undo = () => void set(next, from, changed.version);
      toast(texts.team.saved, { action: { label: texts.undo, run: undo } });
    } catch (error) {
      const message = isConflict(error) ? texts.team.conflict(name, error.details.by) : messageOf(error);
      toast(message, { tone: 'bad' });
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
      onApply={(value) => set(role, value as Role, version)}
    />
  );
}
