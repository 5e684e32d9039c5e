import { type Finished, printed, program, startNode } from '@session-launch/testing/process.ts';

/** Starts a service that should fail to start, without a runtime, and returns how it ended. One that starts is killed. */
export async function tryStart(DATA_DIR: string, cwd: string): Promise<Finished> {
  const started = startNode([program, 'serve'], {
    env: { DATA_DIR, PORT: '0', ADMIN_PORT: '0', RUNTIME: 'off', LOG_LEVEL: 'warn' },
    cwd,
  });
  await printed(started, /Public/).catch(() => undefined);
  started.child.kill('SIGKILL');
  return { code: await started.closed, ...started.output };
}
