import { createWorld, expectError, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { useService } from '../harness/service.ts';

const service = useService();
let world: World;
beforeAll(async () => {
  world = await createWorld(service);
});

const path = () => `/admin/projects/${world.projectId}`;
const readProject = async () => (await service.admin({ path: path() })).json;

/** Changes settings of the current version of the project. */
async function change(body: object) {
  const [row] = await service.database.query<{ version: number }>(
    'admin',
    { text: 'SELECT version FROM projects WHERE id = $1' },
    [world.projectId],
  );
  return service.admin({ method: 'PATCH', path: path(), headers: { 'If-Match': `"${row!.version}"` }, body });
}

const origins = (count: number) => Array.from({ length: count }, (_, n) => `https://a${n}.example.com`);

describe('an allowlist', () => {
  test('has at most 1,000 entries', async () => {
    expect((await change({ allowedOrigins: origins(1_000) })).status).toBe(200);
    const refused = await change({ allowedOrigins: origins(1_001) });
    expectError(refused, 400, 'INVALID_REQUEST');
    expect(refused.json.error.details).toEqual([
      { path: 'allowedOrigins', message: 'must have at most 1000 items' },
    ]);
  });

  test('has at most 1,000 entries in a project file', async () => {
    const { project, experiences } = await readProject();
    for (const [where, file] of [
      ['project', { project: { ...project, allowedOrigins: origins(1_001) }, experiences }],
      ['experiences[0]', { project, experiences: [{ ...experiences[0], allowedOrigins: origins(1_001) }] }],
    ] as const) {
      const refused = await service.admin({
        method: 'POST',
        path: '/admin/projects',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(file),
      });
      expectError(refused, 400, 'PROJECT_FILE_INVALID');
      expect(refused.json.error.details).toMatchObject([
        { path: `${where}.allowedOrigins`, message: 'has 1001 items; keep at most 1000' },
      ]);
    }
  });

  test('that is already longer is read, and other settings can be changed', async () => {
    await service.database.query(
      'admin',
      { text: 'UPDATE projects SET allowed_origins = $2 WHERE id = $1' },
      [world.projectId, origins(1_500)],
    );
    const changed = await change({ name: 'Renamed', limits: { mintsPerMinute: 7 } });
    expect(changed.status, changed.text).toBe(200);
    const { project } = await readProject();
    expect(project).toMatchObject({ name: 'Renamed', limits: { mintsPerMinute: 7 } });
    expect(project.allowedOrigins).toEqual(origins(1_500));
  });

  test('is normalised, each entry once', async () => {
    const changed = await change({ allowedOrigins: ['https://A.example.com/', 'https://a.example.com'] });
    expect(changed.json.project.allowedOrigins).toEqual(['https://a.example.com']);
  });
});

test('a large body is refused with its first violation', async () => {
  const refused = await change({ allowedOrigins: Array.from({ length: 50_000 }, () => 1) });
  expectError(refused, 400, 'INVALID_REQUEST');
  expect(refused.json.error.details).toHaveLength(1);
});

/** The embedded engine runs one transaction at a time. */
test.skipIf(inject('engine') === 'embedded')('invalid settings are refused without a lock', async () => {
  const refused = await service.database.transaction(async (tx) => {
    await tx.query({ text: 'SELECT 1 FROM projects WHERE id = $1 FOR UPDATE' }, [world.projectId]);
    return change({ allowedOrigins: ['https://*'] });
  });
  expectError(refused, 400, 'INVALID_REQUEST');
});
