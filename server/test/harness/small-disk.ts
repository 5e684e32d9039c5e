import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '@session-launch/testing/fleet.ts';

/** A file system of limited size, in memory. */
interface SmallDisk {
  path: string;
  resize(megabytes: number): void;
}

export function smallDisk(path: string, megabytes: number, cleanup: Cleanup): SmallDisk {
  mkdirSync(path, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', path], { stdio: 'pipe' });
  cleanup(async () => void execFileSync('umount', ['--lazy', path]));
  return {
    path,
    resize: (size) => void execFileSync('mount', ['-o', `remount,size=${size}m`, path]),
  };
}

/** Whether this process may mount file systems: usually only root on Linux. */
export function canMount(): boolean {
  if (platform() !== 'linux' || process.getuid?.() !== 0) return false;
  const path = mkdtempSync(join(tmpdir(), 'session-launch-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', path], { stdio: 'ignore' });
    execFileSync('umount', [path]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(path, { recursive: true });
  }
}
