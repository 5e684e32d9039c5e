import { experience, project, uniqueId } from '@session-launch/testing/world.ts';

export const plainRuntime = {
  characters: [{ characterId: 'ada', name: 'Ada' }],
  transport: { type: 'websocket', url: 'wss://runtime.example.com/session' },
};

/** A project file that needs more than one INSERT statement and is too large to be parsed on the event loop. */
export function largeFile(count = 520) {
  const suffix = uniqueId('').slice(1);
  const experiences = Array.from({ length: count }, (_, n) =>
    experience({ id: `exp_${n}_${suffix}`, slug: `n-${n}`, sortOrder: n, runtime: plainRuntime }),
  );
  return { project: project(), experiences };
}
