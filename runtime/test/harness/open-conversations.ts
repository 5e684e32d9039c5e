import { expect } from 'vitest';
import { startConversation, type TestConversation } from './conversation.ts';

const conversations: TestConversation[] = [];

export const openConversation: typeof startConversation = (...args) => {
  const made = startConversation(...args);
  conversations.push(made);
  return made;
};

/** Ends all open conversations and expects that none leaves a timer. */
export function closeConversations(): void {
  for (const { conversation, clock, faults } of conversations.splice(0)) {
    conversation.end('client_ended');
    expect(faults.splice(0)).toEqual([]);
    expect(clock.pending).toBe(0);
  }
}
