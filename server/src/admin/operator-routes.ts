import {
  changeOperatorOperation,
  createOperatorOperation,
  deleteOperatorOperation,
  listOperatorsOperation,
  operatorSchema,
  replaceOperatorTokenOperation,
} from '@session-launch/contract/admin/operators';
import type { FastifyInstance } from 'fastify';
import { requireVersion } from '../audit/conflict.ts';
import { deleteLoginsOf } from '../operators/logins.ts';
import {
  bootstrap,
  deleteOperator,
  insertOperator,
  listOperators,
  type Operator,
  setOperatorToken,
  updateOperator,
} from '../operators/operators.ts';
import {
  isFullOwner,
  lockForChange,
  reaches,
  requireAnotherOwner,
  requireCredentials,
  requireGrantable,
} from '../operators/rules.ts';
import { newOperatorToken } from '../operators/secrets.ts';
import { invalidRequest } from '../primitives/errors.ts';
import { fieldChanges } from '../primitives/field-changes.ts';
import { newId } from '../primitives/ids.ts';
import { sha256 } from '../primitives/sha256.ts';
import type { AdminDeps } from './deps.ts';
import { mount } from './mount.ts';
import { recordOf } from './record.ts';
import { giveVersion } from './version-tag.ts';

export async function operatorRoutes(app: FastifyInstance, { database, commit }: AdminDeps): Promise<void> {
  mount(app, listOperatorsOperation, async ({ actor }) => {
    const operators = await listOperators(database);
    return {
      operators: operators
        .filter((one) => one.operatorId === actor.operatorId || reaches(actor, one))
        .map((one) => recordOf(operatorSchema, one)),
    };
  });

  mount(app, createOperatorOperation, async (call) => {
    const { actor, body } = call;
    const token = newOperatorToken();
    const operator: Operator = {
      operatorId: newId('opr'),
      name: body.name,
      role: body.role,
      projectIds: listed(body.projectIds),
      version: 1,
      createdAt: new Date(),
      hasToken: true,
      issuer: null,
    };
    await commit(call, async (tx, write) => {
      await requireCredentials(tx, actor);
      await requireGrantable(tx, actor, operator);
      const { operatorId: id, createdAt } = operator;
      const { issuer: _, version: __, ...stored } = operator;
      await insertOperator(tx, { ...stored, tokenHash: sha256(token), createdAt, createdBy: actor.name });
      write.changed({ kind: 'operator', id });
      write.audit({ target: id, version: 1, changes: fieldChanges({}, facts(operator)) });
    });
    giveVersion(call.reply, operator.version);
    return { ...recordOf(operatorSchema, operator), token };
  });

  mount(app, changeOperatorOperation, async (call) => {
    const { actor, body, params } = call;
    const changed = await commit(call, async (tx, write) => {
      // The owners are locked before the operator. Needed only if the change can turn an owner of all projects into another operator.
      const isKept = isFullOwnerAfter(body);
      if (!isKept || params.operatorId === bootstrap.operatorId)
        await requireAnotherOwner(tx, actor, params.operatorId);
      const before = await lockForChange(tx, actor, params.operatorId);
      if (call.version !== undefined) await requireVersion(tx, before.operatorId, call.version, before);
      const after: Operator = {
        ...before,
        name: body.name ?? before.name,
        role: body.role ?? before.role,
        projectIds: body.projectIds === undefined ? before.projectIds : listed(body.projectIds),
      };
      const changes = fieldChanges(facts(before), facts(after));
      if (changes.length === 0) return before;
      if (body.role !== undefined || body.projectIds !== undefined) await requireGrantable(tx, actor, after);
      const version = await updateOperator(tx, after);
      write.changed({ kind: 'operator', id: after.operatorId, version });
      write.audit({ target: after.operatorId, version, changes });
      return { ...after, version };
    });
    giveVersion(call.reply, changed.version);
    return recordOf(operatorSchema, changed);
  });

  mount(app, deleteOperatorOperation, async (call) => {
    const { actor, params } = call;
    await commit(call, async (tx, write) => {
      await requireAnotherOwner(tx, actor, params.operatorId);
      const operator = await lockForChange(tx, actor, params.operatorId);
      if (call.version !== undefined) await requireVersion(tx, operator.operatorId, call.version, operator);
      await deleteOperator(tx, operator.operatorId);
      write.changed({ kind: 'operator', id: operator.operatorId });
      write.audit({ target: operator.operatorId, changes: fieldChanges(facts(operator), {}) });
    });
    return undefined;
  });

  mount(app, replaceOperatorTokenOperation, async (call) => {
    const { actor, params } = call;
    if (params.operatorId === bootstrap.operatorId)
      throw invalidRequest([
        { path: 'operatorId', message: 'has its token in ADMIN_TOKEN; change it there' },
      ]);
    const token = newOperatorToken();
    const version = await commit(call, async (tx, write) => {
      const operator = await lockForChange(tx, actor, params.operatorId);
      const { operatorId: id } = operator;
      if (call.version !== undefined) await requireVersion(tx, id, call.version, operator);
      const version = await setOperatorToken(tx, id, sha256(token));
      await deleteLoginsOf(tx, id, actor.login?.loginId);
      write.changed({ kind: 'operator', id, version });
      write.audit({ target: id, version });
      return version;
    });
    giveVersion(call.reply, version);
    return { token };
  });
}

/** Whether an owner of all projects would still be one after this change. */
function isFullOwnerAfter({ role = 'owner', projectIds = null }: Partial<Operator>): boolean {
  return isFullOwner({ role, projectIds });
}

function listed(projectIds: readonly string[] | null | undefined): string[] | null {
  return projectIds ? [...new Set(projectIds)] : null;
}

/** The fields that the audit shows. */
function facts({ name, role, projectIds }: Operator): object {
  return { name, role, projectIds };
}
