import { editorOf } from '@session-launch/testing/editing.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import { connect, launched, report } from '@session-launch/testing/lifecycle.ts';
import {
  apply,
  createKey,
  createWorld,
  expectError,
  experience,
  mintFromBrowser,
  mintFromServer,
  type World,
} from '@session-launch/testing/world.ts';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DeletedProjects } from '../../src/editing/delete-project.ts';
import { SessionChanges } from '../../src/sessions/session-changes.ts';
import { openChanges } from '../../src/store/changes.ts';
import { createOperator, withToken } from '../harness/operators.ts';
import { noHousekeeping, type Service, startService, useService } from '../harness/service.ts';

const service = useService({}, noHousekeeping);
/** Five seconds, and as much for a busy machine. */
const within = 10_000;
let other: Service;
beforeAll(async () => {
  other = await startService({}, service, undefined, noHousekeeping);
});
afterAll(() => other?.close());
const editor = editorOf({ admin: (call) => service.admin(call) });
const query = <Row>(text: string, values: unknown[] = []) =>
  service.database.query<Row>('admin', { text }, values);

const remove = (projectId: string) => editor.send('DELETE', `projects/${projectId}?confirm=${projectId}`);

async function background(): Promise<DeletedProjects> {
  const counts = { connected: () => undefined, metered: () => undefined, lost: () => undefined };
  const { database } = service;
  const deps = { database, log: pino({ level: 'silent' }), counts, changes: new SessionChanges(database) };
  return new DeletedProjects(deps, await openChanges(service.database));
}

/** Tables with a row in which one of these ids occurs, except those that outlive a project: the audit and the last versions. */
async function tablesNaming(ids: readonly string[]): Promise<string[]> {
  const tables = await query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
        AND relname NOT IN ('audit', 'deleted_versions')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const text = `SELECT 1 FROM "${name}" t WHERE t::text ~ $1 LIMIT 1`;
    if ((await query(text, [ids.join('|')])).length > 0) found.push(name);
  }
  return found;
}

/** A project with a row in every table. */
async function fullWorld(): Promise<{ world: World; sessionIds: string[] }> {
  const world = await createWorld(service, { experiences: [experience(), experience({ status: 'draft' })] });
  const body = { experienceId: world.experienceId };
  const { experience: document } = await editor.read(world.experienceId);
  for (let i = 1; i <= 3; i++) await editor.ok(editor.save({ ...document, title: `Title ${i}` }, i));
  const keyed = await mintFromServer(service, world.key, body, { 'Idempotency-Key': 'one' });
  const page = await mintFromBrowser(service, body);
  const active = await launched(service, world);
  expect((await connect(service, active)).status).toBe(200);
  const sessionIds = [keyed.json.session.sessionId, page.json.session.sessionId, active.sessionId];
  return { world, sessionIds };
}

/** As if the sessions had ended 20 seconds ago. */
const wait = (projectId: string) =>
  query(
    `UPDATE sessions SET created_at = created_at - interval '20 seconds', started_at = started_at - interval '20 seconds',
       ended_at = ended_at - interval '20 seconds' WHERE project_id = $1`,
    [projectId],
  );

describe('deleting a project', () => {
  test('closes its keys and endpoints at once, and on other processes within five seconds', async () => {
    const { world } = await fullWorld();
    const body = { experienceId: world.experienceId };
    const answers = async (at: Service) => [
      (await mintFromServer(at, world.key, body)).status,
      (await mintFromBrowser(at, body)).status,
    ];
    expect(await answers(other)).toEqual([201, 201]);
    const gone = await remove(world.projectId);
    expect([gone.status, gone.text]).toEqual([202, '']);
    expectError(await mintFromServer(service, world.key, body), 401, 'API_KEY_INVALID');
    expectError(await mintFromBrowser(service, body), 404, 'EXPERIENCE_NOT_FOUND');
    await expect.poll(() => answers(other), { timeout: within }).toEqual([401, 404]);
    expectError(await editor.send('GET', `projects/${world.projectId}`), 404, 'PROJECT_NOT_FOUND');
    expectError(await editor.send('GET', `experiences/${world.experienceId}`), 404, 'EXPERIENCE_NOT_FOUND');
    expectError(await remove(world.projectId), 404, 'PROJECT_NOT_FOUND');
    expectError(await apply(service, world.file), 400, 'PROJECT_FILE_INVALID');
  });

  test('ends its running sessions, and lets no waiting client connect', async () => {
    const { world, sessionIds } = await fullWorld();
    const waiting = await launched(service, world);
    expect((await remove(world.projectId)).status).toBe(202);
    expectError(await connect(service, waiting), 410, 'SESSION_ENDED');
    await (await background()).run();
    const active = sessionIds[2]!;
    const answer = await report(service, [{ sessionId: active, seconds: 0 }]);
    expect(answer.json.end).toEqual([{ sessionId: active, reason: 'api_request' }]);
  });

  test('deletes every row in steps that can be interrupted, and frees the id', async () => {
    const { world, sessionIds } = await fullWorld();
    const experienceIds = world.file.experiences.map(({ id }) => id as string);
    const ids = [world.projectId, ...experienceIds, ...sessionIds];
    expect(await tablesNaming(ids)).toEqual(expect.arrayContaining(['projects', 'revisions', 'sessions']));
    const before = (await editor.list(world.projectId)).version;
    expect((await remove(world.projectId)).status).toBe(202);
    // Each run makes one step, as if the process ended after it.
    await (await background()).run(0);
    await wait(world.projectId);
    await expect
      .poll(
        async () => {
          await (await background()).run(0);
          return tablesNaming(ids);
        },
        { timeout: 20_000, interval: 1 },
      )
      .toEqual([]);

    const title = 'Born again';
    const file = { ...world.file, experiences: [{ ...world.file.experiences[0]!, title }] };
    const again = (await apply(service, file)).json;
    expect(again).toMatchObject({ changed: true, version: (await editor.list(world.projectId)).version });
    expect(again.version).toBeGreaterThan(before);
    // The activity of the deleted project is only for operators of all projects.
    const { token } = await createOperator(service, { projectIds: [world.projectId] });
    const path = `/admin/audit?projectId=${world.projectId}`;
    const actions = (answer: Answer): string[] =>
      answer.json.entries.map(({ action }: { action: string }) => action);
    expect(actions(await withToken(service, token, { path }))).toEqual(['experience.apply', 'project.apply']);
    expect(actions(await service.admin({ path }))).toContain('project.delete');
    const { key } = await createKey(service, world.projectId);
    for (const at of [service, other]) {
      const mint = () => mintFromServer(at, key, { experienceId: world.experienceId });
      await expect.poll(async () => (await mint()).status, { timeout: within }).toBe(201);
      expect((await mint()).json.launch.experience).toMatchObject({ title, revision: 1 });
    }
    expect(await editor.revisions(world.experienceId)).toHaveLength(1);
    // A change that is based on the deleted project or experience does not apply to the new one.
    expectError(await editor.patch(world.projectId, { name: 'Old' }, before), 412, 'VERSION_CONFLICT');
    const { experience: document, version } = await editor.read(world.experienceId);
    for (let old = 1; old < version; old++)
      expectError(await editor.save({ ...document, title: 'Old' }, old), 412, 'VERSION_CONFLICT');
    expect(version).toBe(5);
  });

  test('leaves other projects alone', async () => {
    const [world, kept] = [await createWorld(service), await createWorld(service)];
    expect((await remove(world.projectId)).status).toBe(202);
    await (await background()).run();
    expect((await mintFromServer(service, kept.key, { experienceId: kept.experienceId })).status).toBe(201);
    expect((await apply(service, kept.file)).json.changed).toBe(false);
  });
});

test('a project whose rows cannot be deleted does not keep the rows of others', async () => {
  const failing = await createWorld(service);
  const others = await createWorld(service);
  for (const world of [failing, others])
    expect((await connect(service, await launched(service, world))).status).toBe(200);
  for (const { projectId } of [failing, others]) expect((await remove(projectId)).status).toBe(202);
  const active = async ({ projectId }: World) =>
    (await query('SELECT session_id FROM active_sessions WHERE project_id = $1', [projectId])).length;
  // NOT VALID: other sessions are not checked.
  await query(
    `ALTER TABLE sessions ADD CONSTRAINT refused CHECK (project_id <> '${failing.projectId}' OR ended_at IS NULL) NOT VALID`,
  );
  try {
    await (await background()).run();
    expect([await active(failing), await active(others)]).toEqual([1, 0]);
  } finally {
    await query('ALTER TABLE sessions DROP CONSTRAINT refused');
  }
  await (await background()).run();
  expect(await active(failing)).toBe(0);
});

test('projects that are deleted at the same time share the time of one run', async () => {
  const worlds = [await createWorld(service), await createWorld(service)];
  for (const world of [...worlds, ...worlds])
    expect((await connect(service, await launched(service, world))).status).toBe(200);
  for (const { projectId } of worlds) expect((await remove(projectId)).status).toBe(202);
  const active = async () =>
    (
      await query('SELECT session_id FROM active_sessions WHERE project_id = ANY ($1)', [
        worlds.map(({ projectId }) => projectId),
      ])
    ).length;
  // Without time left, a run does one step: it ends the sessions of one project.
  await (await background()).run(0);
  expect(await active()).toBe(2);
});
