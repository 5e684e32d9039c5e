import { request as httpRequest } from 'node:http';
import { adminApi } from '@session-launch/contract/admin/api';
import type { Operation } from '@session-launch/contract/operation';
import { isPermitted, type Role, roles } from '@session-launch/contract/roles';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { createPlace, isOfAPlace, type Place, pathAt, relocated } from '../harness/admin-places.ts';
import { createOperator } from '../harness/operators.ts';

const service = deployedService();
const operations: Operation[] = adminApi.operations.filter(({ caller }) => caller === 'operator');

interface Sent {
  type?: string;
  content?: string | Buffer;
  /** The JSON value. */
  value?: unknown;
}

/** One request body for each example of the contract. */
function bodiesOf(operation: Operation, where: Place): Sent[] {
  const json = { ...(operation.body && { 'application/json': operation.body }), ...operation.bodies };
  const sent = Object.entries(json).flatMap(([type, { examples }]) =>
    Object.values(examples).map(({ value }): Sent => {
      if (!type.includes('json'))
        return { type, content: String(value).replaceAll('prj_demo', where.projectId) };
      const moved = relocated(value, where);
      return { type, value: moved, content: JSON.stringify(moved) };
    }),
  );
  return sent.length === 0 ? [{}] : sent;
}

/** Sends a request. Streams that do not end are left after their headers. */
function ask(
  operation: Operation,
  token: string,
  where: Place,
  { type, content }: Sent,
): Promise<{ status: number; code?: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      new URL(pathAt(operation, where), service.adminUrl),
      {
        method: operation.method.toUpperCase(),
        headers: {
          Authorization: `Bearer ${token}`,
          ...(operation.isVersioned ? { 'If-Match': '"1"' } : {}),
          ...(type === undefined
            ? {}
            : { 'Content-Type': type, 'Content-Length': Buffer.byteLength(content!) }),
        },
      },
      (response) => {
        const status = response.statusCode!;
        if (status < 400) {
          resolve({ status });
          response.on('error', () => undefined).destroy();
          return;
        }
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status, code: JSON.parse(text).error.code }));
      },
    );
    request.on('error', reject);
    request.end(content);
  });
}

/** Whether an operator with this role who is limited to projects may send this request. */
function isAllowed(role: Role, operation: Operation, { value }: Sent): boolean {
  if (operation.isOfService) return false;
  const further = operation.furtherPermissions?.filter(({ appliesTo }) => appliesTo(value, {})) ?? [];
  return [operation.permission!, ...further.map(({ permission }) => permission)].every((permission) =>
    isPermitted(role, permission),
  );
}

test.each(operations.map((operation) => [operation.operationId, operation] as const))(
  '%s has a permission',
  (_, { permission }) => expect(permission).toBeDefined(),
);

interface Example {
  own: Place;
  /** Of an operator who sees only this place. */
  token: string;
}

async function createExample(role: Role): Promise<Example> {
  const own = await createPlace(service);
  const { token } = await createOperator(service, { role, projectIds: [own.projectId] });
  return { own, token };
}

describe.each(roles)('%s', (role) => {
  let foreign: Place;
  let shared: Example;
  beforeAll(async () => {
    [foreign, shared] = await Promise.all([createPlace(service), createExample(role)]);
  });

  test.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s',
    async (_, operation) => {
      // An operation that reads or is refused changes nothing, so it can use the example that such operations share.
      const isAllowedOnce = bodiesOf(operation, foreign).some((body) => isAllowed(role, operation, body));
      const isUnchanging = operation.method === 'get' || !isAllowedOnce;
      const { own, token } = isUnchanging ? shared : await createExample(role);
      for (const body of bodiesOf(operation, foreign)) {
        const answer = await ask(operation, token, foreign, body);
        if (!isAllowed(role, operation, body))
          expect(answer).toMatchObject({ status: 403, code: 'ROLE_FORBIDDEN' });
        else if (isOfAPlace(operation)) expect(answer.status, JSON.stringify(answer)).toBe(404);
      }
      for (const body of bodiesOf(operation, own)) {
        const answer = await ask(operation, token, own, body);
        if (!isAllowed(role, operation, body))
          expect(answer).toMatchObject({ status: 403, code: 'ROLE_FORBIDDEN' });
        else {
          expect(answer.status, JSON.stringify(answer)).not.toBe(401);
          expect(['ROLE_FORBIDDEN', 'PROJECT_NOT_FOUND', 'NOT_FOUND']).not.toContain(answer.code);
        }
      }
    },
  );
});
