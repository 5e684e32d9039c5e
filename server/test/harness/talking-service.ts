import { execFileSync } from 'node:child_process';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { experience, project, runtime } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, expect, vi } from 'vitest';

export interface Talking {
  service: ServiceProcess;
  experienceId: string;
  projectId: string;
  /** What the database knows of the sessions, the newest first. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into records freely
  sessions(): Promise<any[]>;
  /** The process of the runtime beside the service. */
  runtimePid(): number;
  /** Starts the service again on its data, after it was killed: on another port. */
  startAgain(): Promise<void>;
}

const mind = {
  greeting: { en: 'Good morning, and welcome to the harbor. What shall I tell you about?' },
  topics: [
    {
      id: 'ferries',
      ask: { en: 'When do the ferries leave?' },
      tell: {
        en: 'They leave at every full hour, from the long wooden pier behind the old fish market hall.',
      },
    },
  ],
};

/** A service with its runtime, in processes of their own, and an experience for pages of these origins. */
export function useTalkingService(
  origins: () => string[],
  env: () => Record<string, string> = () => ({}),
): Talking {
  const talking = {} as Talking;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
    await prepareDataFolder(folder.path);
    const start = async () => {
      const started = await startProcess({
        DATA_DIR: folder.path,
        RUNTIME: 'on',
        DEMO: 'on',
        SHUTDOWN_GRACE_SECONDS: '0',
        ...env(),
      });
      // The service is there before its runtime, which on a busy machine takes longer than clients wait.
      const isThere = async () => {
        const { text } = await started.admin({ path: '/metrics' });
        expect(text).toContain('session_runtime_sessions');
      };
      await vi.waitFor(isThere, { timeout: 120_000, interval: 100 });
      return started;
    };
    const service = await start();
    const one = experience({
      runtime: runtime({
        speechInputMode: 'auto',
        characters: [{ characterId: 'maren', name: 'Maren', avatar: { avatarId: 'maren' } }],
        location: { locationId: 'old-harbor', assets: ['/locations/old-harbor/wide.svg'] },
        transport: { type: 'websocket' },
        mind,
      }),
    });
    const file = { project: project({ allowedOrigins: origins() }), experiences: [one] };
    const applied = await service.admin({ method: 'POST', path: '/admin/projects', body: file });
    expect(applied.status, applied.text).toBe(200);
    Object.assign(talking, {
      service,
      experienceId: one.id,
      projectId: file.project.id,
      sessions: async () => {
        const path = `/admin/projects/${file.project.id}/sessions`;
        return (await talking.service.admin({ path })).json.sessions;
      },
      runtimePid: () => {
        const all = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args=']).toString();
        return Number(new RegExp(`^\\s*(\\d+)\\s+${talking.service.pid} .*--child`, 'm').exec(all)?.[1]);
      },
      startAgain: async () => {
        talking.service = await start();
      },
    });
  });
  afterAll(async () => {
    await talking.service?.kill('SIGTERM');
    await folder?.remove();
  });
  return talking;
}
