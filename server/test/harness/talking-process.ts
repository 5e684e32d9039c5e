import { setTimeout as wait } from 'node:timers/promises';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '@session-launch/testing/process.ts';

export interface TalkingProcess {
  service: ServiceProcess;
  /** Restarts the killed service with its data on another port. */
  startAgain(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a service with its runtime as child processes, on a copy of an empty database. */
export async function startTalking(
  dataFolder: string,
  env: Record<string, string> = {},
): Promise<TalkingProcess> {
  const folder = await temporaryFolder();
  await prepareDataFolder(folder.path, dataFolder);
  const start = async () => {
    const service = await startProcess({
      DATA_DIR: folder.path,
      RUNTIME: 'on',
      DEMO: 'on',
      SHUTDOWN_GRACE_SECONDS: '0',
      ...env,
    });
    // The service listens before its runtime does; on a loaded machine the runtime can take longer than the timeout of clients.
    const isThere = async () =>
      (await service.admin({ path: '/metrics' })).text.includes('session_runtime_sessions');
    try {
      for (let tries = 0; !(await isThere()); tries++) {
        if (tries === 1200) throw new Error(`the runtime did not start: ${service.stderr()}`);
        await wait(100);
      }
    } catch (error) {
      await service.kill('SIGTERM');
      throw error;
    }
    return service;
  };
  const first = await start().catch(async (error) => {
    await folder.remove();
    throw error;
  });
  const talking: TalkingProcess = {
    service: first,
    startAgain: async () => {
      talking.service = await start();
    },
    stop: async () => {
      await talking.service.kill('SIGTERM');
      await folder.remove();
    },
  };
  return talking;
}
