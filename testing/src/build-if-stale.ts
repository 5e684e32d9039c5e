import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const launcher = fileURLToPath(new URL('../../server/bin/session-launch.js', import.meta.url));

/** Global setup: builds the program if the build is older than its sources. */
export default async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, [launcher, '--version']);
}
