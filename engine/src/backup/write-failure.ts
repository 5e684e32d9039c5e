import { BackupFailure } from './manifest.ts';

const advice: Record<string, string> = {
  ENOSPC: ': its disk is full; free space on it, or use another disk',
  EDQUOT: ': the disk quota is used up; free space, or use another disk',
  EFBIG: ': a file is larger than this process may write; raise the limit (ulimit -f)',
};

/** A failure for a file or folder that cannot be written. */
export function writeFailure(path: string, error: NodeJS.ErrnoException): BackupFailure {
  const { code = error.message } = error;
  return new BackupFailure(`cannot write to ${path} (${code})${advice[code] ?? ''}`, { cause: error });
}
