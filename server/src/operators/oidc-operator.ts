import type { Write } from '../audit/commit.ts';
import { fieldChanges } from '../primitives/field-changes.ts';
import { newId } from '../primitives/ids.ts';
import type { Transaction } from '../store/database.ts';
import type { Identity } from './oidc.ts';
import {
  insertOperator,
  type KnownOperator,
  lockOperatorBySubject,
  takeFormerLimit,
  updateOperator,
} from './operators.ts';

/**
 * The operator of a person from the identity provider, created at the first sign-in. Name and role follow the provider. An operator
 * who was removed remains limited to the same projects.
 */
export async function operatorOf(
  tx: Transaction,
  write: Write,
  { issuer, subject, name, role }: Identity,
): Promise<KnownOperator | undefined> {
  if (role === undefined) return undefined;
  const known = await lockOperatorBySubject(tx, issuer, subject);
  const operator: KnownOperator = {
    operatorId: known?.operatorId ?? newId('opr'),
    name,
    role,
    projectIds: known === undefined ? await takeFormerLimit(tx, issuer, subject) : known.projectIds,
  };
  const { projectIds } = operator;
  const limit = known === undefined && projectIds !== null ? { projectIds } : {};
  const changes = fieldChanges(known ? { name: known.name, role: known.role } : {}, { name, role, ...limit });
  if (known === undefined) {
    const createdAt = new Date();
    await insertOperator(tx, { ...operator, tokenHash: null, issuer, subject, createdAt, createdBy: name });
  }
  if (changes.length > 0) {
    const version = known === undefined ? 1 : await updateOperator(tx, operator);
    const action = known === undefined ? 'operator.create' : 'operator.change';
    write.changed({ kind: 'operator', id: operator.operatorId, version });
    write.audit({ action, target: operator.operatorId, version, changes });
  }
  return operator;
}
