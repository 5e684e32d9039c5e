import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { HearingProcesses, type ProcessesDeps } from '../../src/hearing/local/processes.ts';

const program = fileURLToPath(new URL('./stand-in-process.js', import.meta.url));
const [crash, hang, fail] = [-1, -2, -3];
const opened: HearingProcesses[] = [];
const problems: string[] = [];

function open(more: Partial<ProcessesDeps> = {}): HearingProcesses {
  const processes = new HearingProcesses({
    files: { encoder: 'works', decoder: '' },
    max: 1,
    broken: (problem) => problems.push(problem),
    program,
    ...more,
  });
  opened.push(processes);
  return processes;
}

afterEach(async () => {
  problems.length = 0;
  for (const processes of opened.splice(0)) await processes.close();
});

const never = new AbortController().signal;
const turn = (what: number, length = 8) => new Int16Array(length).fill(what, 0, 1);
const pidOf = (text: string) => Number(text.split(' in ')[1]);

test('starts no process before a session needs it, then one for all sessions', async () => {
  const processes = open();
  expect(processes.pids).toEqual([]);
  processes.prepare();
  processes.prepare();
  expect(processes.pids.length).toBe(1);
  const texts = await Promise.all([1, 2, 3].map((length) => processes.run(turn(0, length), {}, never)));
  expect(texts.map((text) => Number.parseInt(text, 10))).toEqual([1, 2, 3]);
  expect(new Set(texts.map(pidOf))).toEqual(new Set(processes.pids));
});

test('serves sessions in turn', async () => {
  const processes = open();
  const [busy, quiet] = [{}, {}];
  const order: string[] = [];
  const run = (name: string, session: object) =>
    processes.run(turn(0), session, never).then(() => order.push(name));
  await Promise.all([
    ...['busy 1', 'busy 2', 'busy 3'].map((name) => run(name, busy)),
    ...['quiet 1'].map((name) => run(name, quiet)),
  ]);
  expect(order).toEqual(['busy 1', 'quiet 1', 'busy 2', 'busy 3']);
});

test('the end of a process costs the turn that it works on; another process serves the others', async () => {
  const processes = open();
  const first = pidOf(await processes.run(turn(0), {}, never));
  const killed = processes.run(turn(hang), {}, never);
  const waiting = processes.run(turn(0), {}, never);
  process.kill(first, 'SIGKILL');
  await expect(killed).rejects.toThrow('the hearing process has ended');
  expect(pidOf(await waiting)).not.toBe(first);
  await expect(processes.run(turn(crash), {}, never)).rejects.toThrow('the hearing process has ended');
  await processes.run(turn(0), {}, never);
  expect(problems).toEqual([]);
});

test('a turn that takes too long ends its process', async () => {
  const processes = open({ deadlineMs: 200 });
  await expect(processes.run(turn(hang), {}, never)).rejects.toThrow('the hearing process has ended');
  // On a busy machine, several turns may take too long.
  await expect.poll(() => processes.run(turn(0), {}, never).catch(() => undefined)).toBeDefined();
});

test('stops a turn that is no longer needed, and never starts one that waits', async () => {
  const processes = open();
  const stop = new AbortController();
  const running = processes.run(turn(hang), {}, stop.signal);
  const waiting = processes.run(turn(crash), {}, stop.signal);
  await expect.poll(() => processes.pids.length).toBe(1);
  stop.abort(new Error('the session has ended'));
  await expect(running).rejects.toThrow('the session has ended');
  await expect(waiting).rejects.toThrow('the session has ended');
  await processes.run(turn(0), {}, never);
});

test('rejects a turn that the model cannot transcribe', async () => {
  await expect(open().run(turn(fail), {}, never)).rejects.toThrow('no memory');
});

test('rejects turns while 64 wait', async () => {
  const processes = open();
  const stop = new AbortController();
  const results = Array.from({ length: 70 }, (_, index) =>
    processes.run(turn(index === 0 ? hang : 0), {}, stop.signal).then(
      () => 'heard',
      (error: Error) => error.message,
    ),
  );
  const refused = results.slice(-5).map((result) => expect(result).resolves.toMatch('too many turns wait'));
  await Promise.all(refused);
  stop.abort(new Error('over'));
  await Promise.all(results);
});

test('starts another process when turns wait', async () => {
  const processes = open({ max: 2 });
  const stop = new AbortController();
  const hanging = processes.run(turn(hang), {}, stop.signal).catch(() => {});
  await processes.run(turn(0), {}, never);
  expect(processes.pids.length).toBe(2);
  stop.abort(new Error('over'));
  await hanging;
});

test.each([
  ['broken', 'a library is missing'],
  ['exits', 'its process ended while it loaded the model'],
])(
  'reports once that the model cannot be loaded (%s), and is not usable for a while',
  async (encoder, problem) => {
    const processes = open({ files: { encoder, decoder: '' } });
    expect(processes.isUsable).toBe(true);
    await expect(processes.run(turn(0), {}, never)).rejects.toThrow('the hearing process has ended');
    await expect(processes.run(turn(0), {}, never)).rejects.toThrow('the hearing process has ended');
    expect(processes.isUsable).toBe(false);
    expect(problems).toEqual([problem]);
  },
);
