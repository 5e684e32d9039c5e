import { type Deployment, targetAt } from '@session-launch/testing/deployment.ts';
import type { Target } from '@session-launch/testing/target.ts';
import { apply, experience, project, runtime, sessionsOf } from '@session-launch/testing/world.ts';
import { beforeAll, expect, inject } from 'vitest';

export interface Talking {
  service: Target;
  experienceId: string;
  projectId: string;
  /** The stored sessions of the project, newest first. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into records freely
  sessions(): Promise<any[]>;
}

const mind = {
  greeting: { en: 'Welcome to the harbor. What shall I tell you about?' },
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

/** Creates a project with an experience for these origins. `wire` is the URL of the runtime if it is not the service's. */
export async function createTalking(
  service: Target,
  allowedOrigins: string[],
  wire?: string,
): Promise<Talking> {
  const one = experience({
    runtime: runtime({
      speechInputMode: 'auto',
      characters: [{ characterId: 'maren', name: 'Maren', avatar: { avatarId: 'maren' } }],
      location: { locationId: 'old-harbor', assets: ['/locations/old-harbor/wide.svg'] },
      transport: { type: 'websocket', ...(wire === undefined ? {} : { url: wire }) },
      mind,
    }),
  });
  const file = { project: project({ allowedOrigins }), experiences: [one] };
  const applied = await apply(service, file);
  expect(applied.status, applied.text).toBe(200);
  const projectId = file.project.id;
  const talking: Talking = {
    service,
    experienceId: one.id,
    projectId,
    sessions: () => sessionsOf(talking.service, projectId),
  };
  return talking;
}

/**
 * Creates a project on the service that all browser test files share; its sessions are visible to this file only. Metrics are shared.
 */
export function useTalkingService(origins: () => string[], wire?: () => string): Talking {
  const talking = {} as Talking;
  beforeAll(async () => {
    Object.assign(talking, await createTalking(targetAt(inject('talking')), origins(), wire?.()));
  });
  return talking;
}

declare module 'vitest' {
  export interface ProvidedContext {
    talking: Deployment;
  }
}
