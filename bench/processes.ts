import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A process, and the CPU seconds used by it and its ended children. */
export interface ProcessTime {
  pid: number;
  parent: number;
  seconds: number;
}

/**
 * Total CPU seconds, user and system, of these processes and their descendants, including threads and ended children. NaN on systems that
 * do not report it.
 */
export async function cpuSeconds(roots: readonly number[]): Promise<number> {
  if (process.platform === 'linux') return ofTrees(await fromProc(), roots);
  if (process.platform === 'darwin') return ofTrees(await fromPs(), roots);
  return Number.NaN;
}

export async function residentBytes(pid: number): Promise<number> {
  if (process.platform === 'linux') {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1024;
  }
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({ stdout: 'NaN' }));
  return Number(stdout) * 1024;
}

export function ofTrees(table: readonly ProcessTime[], roots: readonly number[]): number {
  if (!roots.every((root) => table.some(({ pid }) => pid === root))) return Number.NaN;
  const members = new Set(roots);
  // Process ids are reused, so a child may have a lower id than its parent: repeat until no member is added.
  for (let size = 0; size < members.size; ) {
    size = members.size;
    for (const { pid, parent } of table) if (members.has(parent)) members.add(pid);
  }
  return table.reduce((sum, { pid, seconds }) => (members.has(pid) ? sum + seconds : sum), 0);
}

async function fromProc(): Promise<ProcessTime[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return stats.filter((stat) => stat !== '').map(parseStat);
}

/** Clock ticks per second (USER_HZ) on every supported architecture. */
const ticksPerSecond = 100;

/** Parses /proc/PID/stat, see proc_pid_stat(5). The process name may contain spaces and parentheses. */
export function parseStat(stat: string): ProcessTime {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid: Number.parseInt(stat, 10), parent: Number(fields[1]), seconds: ticks / ticksPerSecond };
}

async function fromPs(): Promise<ProcessTime[]> {
  // One -o per column: on macOS everything after a `=` is a heading.
  const columns = ['pid=', 'ppid=', 'time='].flatMap((column) => ['-o', column]);
  const shown = run('ps', ['-A', '-S', ...columns], { maxBuffer: 2 ** 24 });
  const { stdout } = await shown.catch(() => ({ stdout: '' }));
  return parsePs(stdout);
}

/** Parses lines of process id, parent id and time. A time is `[[days-]hours:]minutes:seconds.hundredths`. */
export function parsePs(output: string): ProcessTime[] {
  return [...output.matchAll(/^\s*(\d+)\s+(\d+)\s+(?:(\d+)-)?([\d:.]+)\s*$/gm)].map((line) => {
    const [, pid, parent, days = 0, clock] = line;
    const inDay = (clock as string).split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
    return { pid: Number(pid), parent: Number(parent), seconds: Number(days) * 86_400 + inDay };
  });
}
