import type { Operation } from '@session-launch/contract/operation';
import type { Role } from '@session-launch/contract/roles';
import { send } from '@session-launch/testing/http.ts';
import type { Target } from '@session-launch/testing/target.ts';
import { createWorld, mintFromServer, type World } from '@session-launch/testing/world.ts';
import { expect } from 'vitest';
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
  /** An operator who sees only this project, and a login of theirs. */
  operatorId: string;
  loginId: string;
  token: string;
  cookie: string;
  /** The code of the preview link. */
  code: string;
  world: World;
}

export async function createPlace(service: Target, role: Role = 'viewer'): Promise<Place> {
  const world = await createWorld(service);
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
  return {
    ...{ projectId, experienceId, revision: '1', keyId, userId, operatorId, token, loginId, cookie, world },
    sessionId: minted.json.session.sessionId,
    artId: picture.json.artId,
    previewId: preview.previewId,
    code: preview.url.split('#')[1]!,
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

/** The parameters of a path that name something of one project or of its operators. */
const ofAPlace: readonly (keyof Place)[] = [
  'projectId',
  'experienceId',
  'keyId',
  'sessionId',
  'previewId',
  'operatorId',
  'loginId',
];

export function isOfAPlace({ path }: Operation): boolean {
  return ofAPlace.some((name) => path.includes(`{${name}}`));
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
