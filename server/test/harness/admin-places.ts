import { adminApi } from '@session-launch/contract/admin/api';
import type { Operation } from '@session-launch/contract/operation';
import { resources } from '@session-launch/contract/resources';
import type { Role } from '@session-launch/contract/roles';
import { type Call, send } from '@session-launch/testing/http.ts';
import type { Target } from '@session-launch/testing/target.ts';
import { createWorld, mintFromServer, type World } from '@session-launch/testing/world.ts';
import { expect } from 'vitest';
import { newId } from '../../src/primitives/ids.ts';
import { upload } from './art.ts';
import { askAdmin } from './ask-admin.ts';
import { codeFor, cookieFrom, createOperator } from './operators.ts';
import { png } from './pictures.ts';

/** A project with one of everything that the paths of the admin API name. The fields are called like the parameters. */
export interface Place {
  projectId: string;
  experienceId: string;
  revision: string;
  keyId: string;
  sessionId: string;
  userId: string;
  artId: string;
  previewId: string;
  /** No such event: the webhook of the place has sent nothing. */
  eventId: string;
  /** An operator who sees only this project, and a login of theirs. */
  operatorId: string;
  loginId: string;
  token: string;
  cookie: string;
  /** The code of the preview link. */
  code: string;
  world: World;
}

export async function createPlace(service: Target, role: Role = 'viewer', own?: World): Promise<Place> {
  const world = own ?? (await createWorld(service));
  const { projectId, experienceId, keyId, key } = world;
  const userId = `user of ${projectId}`;
  const [minted, picture, preview, operator] = await Promise.all([
    mintFromServer(service, key, { experienceId, userId }),
    upload(service, projectId, png(8, 8)),
    askAdmin(service, 'POST /admin/experiences/{experienceId}/previews', { params: { experienceId } }),
    createOperator(service, { role, projectIds: [projectId] }),
  ]);
  const { operatorId, token } = operator;
  const { loginId, cookie } = await createLogin(service, operatorId);
  const place = {
    ...{ projectId, experienceId, revision: '1', keyId, userId, operatorId, token, loginId, cookie, world },
    sessionId: minted.json.session.sessionId,
    artId: picture.json.artId,
    previewId: preview.previewId,
    eventId: newId('evt'),
    code: preview.url.split('#')[1]!,
  };
  for (const kind of Object.keys(resources)) if (!(`${kind}Id` in place)) await addTo(place, service, kind);
  return place;
}

/** Creates a resource of a kind with the first example of the contract, if the admin API has an operation that creates one. */
async function addTo(place: Place, service: Target, kind: string): Promise<void> {
  const operation = adminApi.operations.find(({ action }) => action === `${kind}.create`);
  if (operation === undefined) return;
  const answer = await service.admin(exampleAt(operation, place));
  expect(answer.status, answer.text).toBe(201);
  Object.assign(place, { [`${kind}Id`]: answer.json[`${kind}Id`] });
}

/** The request of an operation on this place, with the first example of the contract. */
export function exampleAt(operation: Operation, place: Place): Call {
  const [example] = Object.values(operation.body?.examples ?? {});
  return {
    method: operation.method.toUpperCase(),
    path: pathAt(operation, place),
    ...(example === undefined ? {} : { body: relocated(example.value, place) as object }),
  };
}

/** Signs an operator in with a link. */
export async function createLogin(
  service: Target,
  operatorId?: string,
): Promise<{ loginId: string; cookie: string }> {
  const code = await codeFor(service, operatorId);
  const answer = await send(service.adminUrl, { method: 'POST', path: '/admin/login', body: { code } });
  expect(answer.status, answer.text).toBe(204);
  const cookie = cookieFrom(answer);
  const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' };
  const me = await send(service.adminUrl, { path: '/admin/me', headers });
  return { loginId: me.json.login.loginId, cookie };
}

/** Whether the path names something of one project or of its operators. */
export function isOfAPlace({ path }: Operation): boolean {
  return Object.keys(resources).some((kind) => path.includes(`{${kind}Id}`));
}

/** The parameter schemas, read freely. */
type Fields = Record<string, { examples?: string[]; enum?: string[] }>;

/** The path of an operation on this place, with the required parts of its query. */
export function pathAt(operation: Operation, place: Place): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = place[name as keyof Place];
    if (typeof value !== 'string') throw new Error(`a place has no ${name}`);
    return encodeURIComponent(value);
  });
  const required = (operation.query?.required ?? []) as string[];
  const values = Object.entries((operation.query?.properties ?? {}) as Fields)
    .filter(([name]) => required.includes(name))
    .map(([name, { examples, enum: allowed }]): [string, string] => [
      name,
      relocated(examples?.[0] ?? allowed?.[0] ?? '1', place) as string,
    ]);
  return values.length === 0 ? path : `${path}?${new URLSearchParams(values)}`;
}

/** An example of the contract with the ids of this place. */
export function relocated(value: unknown, place: Place): unknown {
  const text = JSON.stringify(value)
    .replace(/"prj_\w+"/g, JSON.stringify(place.projectId))
    .replace(/"exp_\w+"/g, JSON.stringify(place.experienceId))
    .replace(/"opr_\w+"/g, JSON.stringify(place.operatorId));
  return JSON.parse(text);
}
