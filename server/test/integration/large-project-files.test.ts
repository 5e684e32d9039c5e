import type { Answer } from '@session-launch/testing/http.ts';
import { apply, createWorld, expectError, project } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { lockProjects } from '../../src/content/projects.ts';
import { parseProjectFile } from '../../src/documents/project-file.ts';
import { largeFile, plainRuntime as plain } from '../harness/large-file.ts';
import { useService } from '../harness/service.ts';

const service = useService();

const read = (projectId: string, type = 'application/json') =>
  service.admin({ path: `/admin/projects/${projectId}`, headers: { Accept: type } });

interface Change {
  id: string;
  change: string;
  revision?: number;
  newRevision?: true;
}

describe('a large project file', () => {
  const file = largeFile();
  let created: Answer;
  beforeAll(async () => {
    created = await apply(service, file);
    expect(created.status, created.text).toBe(200);
  });

  test('is exported as it was written, in both formats', async () => {
    const expected = parseProjectFile(JSON.stringify(file), 'json');
    expect(JSON.parse((await read(file.project.id)).text)).toEqual(expected);
    const yaml = await read(file.project.id, 'application/yaml');
    expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8');
    expect(parseProjectFile(yaml.text)).toEqual(expected);
  });

  test('is applied completely, then without a change, and then only where it differs', async () => {
    const ids = file.experiences.map(({ id }) => id);
    expect(created.json.changes.slice(1)).toEqual(
      ids.map((id) => ({ kind: 'experience', id, change: 'created', revision: 1, newRevision: true })),
    );

    const again = await apply(service, { ...file, experiences: file.experiences.toReversed() });
    expect(again.json.changed).toBe(false);
    expect(again.json.changes.slice(1).map(({ id }: Change) => id)).toEqual(ids.toReversed());

    const [first, second, ...others] = file.experiences;
    const last = others.pop();
    const edited = [
      { ...first, runtime: { ...plain, mode: 'presenter' } },
      { ...second, slug: 'n-519' },
      ...others,
      { ...last, slug: 'n-1', sortOrder: 5 },
    ];
    const changed = await apply(service, { ...file, experiences: edited });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.json.changes.filter(({ change }: Change) => change !== 'unchanged')).toEqual(
      [0, 1, 519].map((n) => ({
        kind: 'experience',
        id: ids[n],
        change: 'updated',
        revision: 2,
        newRevision: true,
      })),
    );
  });

  test('with conflicting ids and slugs changes nothing', async () => {
    const other = await createWorld(service);
    const own = await createWorld(service, { experience: { slug: 'n-515' } });
    const { experiences } = largeFile();
    experiences[510] = { ...experiences[510], id: other.experienceId };
    const answer = await apply(service, { project: own.file.project, experiences });
    expectError(answer, 400, 'PROJECT_FILE_INVALID');
    expect(answer.json.error.details.map(({ path }: { path: string }) => path)).toEqual([
      'experiences[510].id',
      'experiences[515].slug',
    ]);
    expect((await read(own.projectId)).json.experiences).toHaveLength(1);
  });
});

test('files are applied one at a time; one operator with too many of them gets 429 with Retry-After', async () => {
  const file = { project: project(), experiences: [] };
  let open = () => {};
  const closed = new Promise<void>((resolve) => {
    open = resolve;
  });
  const held = new Promise<void>((resolve, reject) => {
    service.database
      .transaction(async (tx) => {
        await lockProjects(tx);
        resolve();
        await closed;
      })
      .catch(reject);
  });
  await held;
  let refused = 0;
  let release = () => {};
  const enough = new Promise<void>((resolve) => {
    release = resolve;
  });
  const answers = Array.from({ length: 40 }, async () => {
    const answer = await apply(service, file);
    if (answer.status === 429 && ++refused === 40 - 32) release();
    return answer;
  });
  await enough;
  open();
  const all = await Promise.all(answers);
  const late = all.filter(({ status }) => status === 429);
  expect(late).toHaveLength(40 - 32);
  for (const answer of late) {
    expectError(answer, 429, 'RATE_LIMITED');
    expect(answer.headers['retry-after']).toBe('1');
  }
  expect(all.filter(({ status }) => status === 200)).toHaveLength(32);
  expect((await apply(service, file)).json.changed).toBe(false);
});
