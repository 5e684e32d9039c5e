import { expect } from 'vitest';
import { type Stage, stage } from './conversation.ts';

const stages: Stage[] = [];

export const openStage: typeof stage = (...args) => {
  const made = stage(...args);
  stages.push(made);
  return made;
};

/** Ends all open conversations and expects that none leaves a timer. */
export function closeStages(): void {
  for (const { conversation, clock, faults } of stages.splice(0)) {
    conversation.end('client_ended');
    expect(faults.splice(0)).toEqual([]);
    expect(clock.pending).toBe(0);
  }
}
