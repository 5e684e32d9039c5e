import { afterEach, expect, test } from 'vitest';
import { DocumentThread, type ThreadLimits } from '../../src/documents/document-thread.ts';
import type { ProjectFileError } from '../../src/documents/problem.ts';
import { largeFile, plainRuntime } from '../harness/large-file.ts';

let thread: DocumentThread | undefined;

afterEach(() => thread?.close());

function open(limits: Partial<ThreadLimits> = {}): DocumentThread {
  thread = new DocumentThread(limits);
  return thread;
}

const someone = { operatorId: 'opr_a' };
const large = Buffer.from(JSON.stringify(largeFile(100)));

const experienceWith = (location: object) => ({
  project: { id: 'prj_a', name: 'A' },
  experiences: [{ id: 'exp_a', slug: 'a', title: 'A', runtime: { ...plainRuntime, location } }],
});

/** A file that is valid but takes far more memory as a syntax tree than `heapMb` below. */
const hugeInMemory = Buffer.from(
  JSON.stringify(experienceWith({ list: Array.from({ length: 200_000 }, () => 1) })),
);

const tooLarge = (error: unknown) => (error as ProjectFileError).problems[0]?.message;

test('a document that needs more memory than the thread has fails alone: tasks behind it run on a new thread', async () => {
  const documents = open({ heapMb: 48 });
  const bomb = documents.prepare(someone, hugeInMemory, 'yaml').catch(tooLarge);
  const behind = documents.prepare(someone, large, 'yaml');
  expect(await bomb).toMatch(/^is too large to be checked; split it/);
  expect((await behind).project.name).toBe('Test project');
});

test('a task that exceeds its time is ended together with the thread, and the next task runs on a new one', async () => {
  const documents = open({ taskMs: 1 });
  await expect(documents.prepare(someone, large, 'yaml').catch(tooLarge)).resolves.toMatch(/^is too large/);
  await expect(documents.serialise(someone, large.toString(), 'yaml')).rejects.toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
  });
});

test('a task that cannot be sent to the thread does not end the thread later', async () => {
  const documents = open({ taskMs: 200 });
  // Structured cloning refuses functions.
  const unsendable = { length: 100_000, toString: () => '' } as unknown as string;
  await expect(documents.serialise(someone, unsendable, 'json')).rejects.toThrow('could not be cloned');
  expect(documents.isRunning).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(documents.isRunning).toBe(true);
});

test('the thread ends when it is idle, and starts again for the next task', async () => {
  const documents = open({ idleMs: 1 });
  for (let round = 0; round < 2; round++) {
    expect((await documents.prepare(someone, large, 'json')).batches.length).toBeGreaterThan(0);
    await expect.poll(() => documents.isRunning).toBe(false);
  }
});

test('a waiting task whose client disconnects is dropped; others are not affected', async () => {
  const documents = open();
  const client = new AbortController();
  const first = documents.prepare(someone, large, 'json');
  const dropped = documents.prepare({ ...someone, signal: client.signal }, large, 'json');
  const last = documents.prepare(someone, large, 'json');
  client.abort();
  await expect(dropped).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect((await first).names).toBe((await last).names);
});

test('24 documents wait for the thread, and further ones return 503', async () => {
  const documents = open();
  // Starting the thread on a busy machine may take as long as a task may wait.
  await documents.prepare(someone, large, 'json');
  const sent = Array.from({ length: 200 }, () => documents.prepare(someone, large, 'json'));
  const outcomes = await Promise.allSettled(sent);
  const refused = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  expect(new Set(refused.map(({ reason }) => reason.code))).toEqual(new Set(['UNAVAILABLE']));
  expect(outcomes.length - refused.length).toBe(25);
  expect(documents.queue.refused).toBe(175);
});

test('the document of another operator is processed before the waiting ones of the first', async () => {
  const documents = open();
  await documents.prepare(someone, large, 'json');
  const done: string[] = [];
  const send = (operatorId: string) =>
    documents.prepare({ operatorId }, large, 'json').then(() => done.push(operatorId));
  await Promise.all(['opr_a', 'opr_a', 'opr_a', 'opr_a', 'opr_b'].map(send));
  expect(done.indexOf('opr_b')).toBeLessThan(3);
});

const character = { characterId: 'a', name: 'A' };
const filled = (characters: unknown[], location: unknown[] = []) => ({
  project: { id: 'prj_a', name: 'A' },
  experiences: [
    {
      id: 'exp_a',
      slug: 'a',
      title: 'A',
      runtime: { ...plainRuntime, characters, location: { list: location } },
    },
  ],
});
const many = <T>(item: T) => Array.from({ length: 20_000 }, () => item);
/** Lists in lists, of which the innermost is at the deepest allowed level. */
const deep = (inner: unknown, levels = 26): unknown[] =>
  levels === 0 ? many(inner) : [deep(inner, levels - 1)];

test('a valid document of 200 kB is checked without the thread', async () => {
  const documents = open();
  await documents.check(someone, filled([character], many('12345678')));
  expect(documents.isRunning).toBe(false);
});

test.each([
  ['objects without fields', filled(many({}))],
  ['numbers instead of objects', filled(many(1))],
  ['repeated ids', filled(Array.from({ length: 2_000 }, () => character))],
  ['values that are nested too deeply', filled([character], deep({}))],
])('an invalid document of more than 16 KiB is checked on the thread: %s', async (_kind, file) => {
  const documents = open();
  const problems = (error: ProjectFileError) => error.problems.length;
  expect(await documents.check(someone, file).then(() => 0, problems)).toBe(1_000);
  expect(documents.isRunning).toBe(true);
});

test('an invalid document of at most 16 KiB is checked without the thread', async () => {
  const documents = open();
  await expect(documents.check(someone, filled([{}]))).rejects.toMatchObject({ name: 'ProjectFileError' });
  expect(documents.isRunning).toBe(false);
});
