import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  apply,
  createWorld,
  expectError,
  experience,
  project,
  uniqueId,
} from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { parseProjectFile } from '../../src/projects/project-file.ts';
import { lockProjects } from '../../src/projects/store.ts';
import { useService } from '../harness/service.ts';

const service = useService();

const plain = {
  characters: [{ characterId: 'ada', name: 'Ada' }],
  transport: { type: 'websocket', url: 'wss://runtime.example.com/session' },
};

/** More than one statement takes, and more than is read at once on the event loop. */
function largeFile(count = 520) {
  const suffix = uniqueId('').slice(1);
  const experiences = Array.from({ length: count }, (_, n) =>
    experience({ id: `exp_${n}_${suffix}`, slug: `n-${n}`, sortOrder: n, runtime: plain }),
  );
  return { project: project(), experiences };
}

const applyText = (body: string | Buffer, type = 'application/json') =>
  service.admin({ method: 'POST', path: '/admin/projects', headers: { 'Content-Type': type }, body });

const read = (projectId: string, type = 'application/json') =>
  service.admin({ path: `/admin/projects/${projectId}`, headers: { Accept: type } });

interface Change {
  id: string;
  change: string;
  revision?: number;
  newRevision?: true;
}

describe('a large file', { timeout: 120_000 }, () => {
  test('is applied whole, again without a change, and then only where it differs', async () => {
    const file = largeFile();
    const created = await apply(service, file);
    expect(created.status, created.text).toBe(200);
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

  test('reads back as it was written, in both formats', async () => {
    const file = largeFile();
    expect((await apply(service, file)).status).toBe(200);
    const expected = parseProjectFile(JSON.stringify(file), 'json');
    expect(JSON.parse((await read(file.project.id)).text)).toEqual(expected);
    const yaml = await read(file.project.id, 'application/yaml');
    expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8');
    expect(parseProjectFile(yaml.text)).toEqual(expected);
  });

  test('has its problems told with their lines, like a small one', async () => {
    const file = largeFile(200);
    const text = JSON.stringify(file, null, 1);
    const lines = text.split('\n');
    const line = lines.findLastIndex((words) => words.includes('"websocket"'));
    const answer = await applyText(text.replaceAll('"type": "websocket"', '"type": "websoket"'));
    expectError(answer, 400, 'PROJECT_FILE_INVALID');
    expect(answer.json.error.details).toHaveLength(200);
    expect(answer.json.error.details.at(-1)).toEqual({
      line: line + 1,
      column: (lines[line] ?? '').indexOf('"websocket"') + 1,
      path: 'experiences[199].runtime.transport.type',
      message: '"websoket" must be websocket; did you mean "websocket"?',
    });
    expect(answer.json.error.message).toMatch(/^line \d+: experiences\[0\]\..* \(and 199 more problems\)$/);
    expectError(await read(file.project.id), 404, 'PROJECT_NOT_FOUND');
  });

  test('that is not UTF-8 is told so', async () => {
    const answer = await applyText(Buffer.concat([Buffer.alloc(100_000, '# '), Buffer.from([0x63, 0xe9])]));
    expectError(answer, 400, 'PROJECT_FILE_INVALID');
    expect(answer.json.error.message).toBe('the file is not UTF-8 text; save it as UTF-8');
  });

  test('with ids and slugs that are taken changes nothing', async () => {
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

  test('holds up nobody: the event loop never waits as long as reading it takes', async () => {
    const file = JSON.stringify(largeFile(2_000));
    const started = performance.now();
    parseProjectFile(file, 'json');
    const reading = performance.now() - started;
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const answer = await applyText(file);
    delay.disable();
    expect(answer.status, answer.text).toBe(200);
    expect(delay.max / 1e6).toBeLessThan(reading / 2);
  });
});

test('files are applied one at a time; of those that would wait too long, one after the other is told to come back', async () => {
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
    if (answer.status === 503 && ++refused === 40 - 17) release();
    return answer;
  });
  await enough;
  open();
  const all = await Promise.all(answers);
  const late = all.filter(({ status }) => status === 503);
  expect(late).toHaveLength(40 - 17);
  for (const answer of late) {
    expectError(answer, 503, 'UNAVAILABLE');
    expect(answer.headers['retry-after']).toBe('1');
  }
  expect(all.filter(({ status }) => status === 200)).toHaveLength(17);
  expect((await apply(service, file)).json.changed).toBe(false);
});
