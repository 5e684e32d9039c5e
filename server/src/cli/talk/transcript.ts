import type { RuntimeEvent } from '@session-launch/contract/runtime/protocol';
import { type Io, printable } from '../terminal/io.ts';
import type { Launch } from './caller.ts';

/** Prints events, as text or as lines of JSON. */
export function transcript(
  io: Io,
  characters: Launch['characters'],
  isJson: boolean,
): (event: RuntimeEvent) => void {
  const startedAt = performance.now();
  const line = (text: string) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(2).padStart(7);
    io.stdout.write(`${seconds} s  ${printable(text)}\n`);
  };
  if (isJson) return (event) => io.stdout.write(`${JSON.stringify(event)}\n`);
  const nameOf = (id: string | undefined) =>
    characters.find(({ characterId }) => characterId === id)?.name ?? id ?? '';
  return (event) => {
    switch (event.type) {
      case 'ready': {
        const { mind, speech, hearing } = event.engines;
        const heard = hearing.kind === 'none' ? 'no speech input' : `transcribed by ${hearing.name}`;
        return line(
          `${event.sessionId}: mind ${mind.name}, ${spokenBy[speech.kind]} ${speech.name}, ${heard}`,
        );
      }
      case 'mode':
        return line(`[${event.mode}]`);
      case 'message':
        if (event.status === 'partial') return;
        return line(
          `${event.role === 'user' ? 'You' : nameOf(event.characterId)}: ${event.text}${event.interrupted ? ' (interrupted)' : ''}`,
        );
      case 'metrics':
        return line(
          `[first sound after ${event.totalMs} ms: mind ${event.mindMs} ms, speech ${event.speechMs} ms]`,
        );
      case 'suggestions':
        return line(`[you could say: ${event.items.map(({ text }) => text).join(' | ')}]`);
      case 'error':
        return line(`[${event.code}: ${event.message}]`);
      case 'notice':
        return line(`[${event.code}: ${event.secondsLeft} s left]`);
      case 'ended':
        return line(`[ended: ${event.reason}, ${event.seconds} s]`);
      default:
        return;
    }
  };
}

const spokenBy = { server: 'spoken by', client: 'spoken by the page with', captions: 'shown as' } as const;
