import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const preload = fileURLToPath(new URL('./failing-disk.cjs', import.meta.url));

/** See failing-disk.cjs. */
export interface Trouble {
  room?: number;
  sync?: 'EIO';
  wait?: string;
}

/** Creates a fault-injecting disk and the environment variables for engines that use it. */
export async function failingDisk(folder: string) {
  const control = join(folder, 'disk.json');
  const set = async (trouble: Trouble) => {
    // Renames atomically, since the engine may read the file at any time.
    await writeFile(`${control}.new`, JSON.stringify(trouble));
    await rename(`${control}.new`, control);
  };
  await set({});
  return { set, env: { NODE_OPTIONS: `--require ${JSON.stringify(preload)}`, FAILING_DISK: control } };
}

/** Runs `work` with changed environment variables, which threads started by it inherit. */
export async function withVariables<T>(env: Record<string, string>, work: () => Promise<T>): Promise<T> {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
