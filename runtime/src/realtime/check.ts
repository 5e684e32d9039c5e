import type { Clock } from '../clock.ts';
import type { RealtimeEngine } from './partner.ts';
import { sessionSettings } from './partner.ts';
import { RealtimeSession } from './session.ts';

/** Opens a session and has the model say a few words. Rejects if it does not. */
export async function checkRealtime(
  engine: RealtimeEngine,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const session = new RealtimeSession({
    clock,
    target: engine,
    settings: sessionSettings(engine, { instructions: 'Be brief.', voice: engine.voice, language: 'en' }),
    used: () => {},
    safely: (work) => work(),
  });
  try {
    for await (const _item of session.respond({ kind: 'text', text: 'Say hello.' }, signal)) return;
  } finally {
    session.close();
  }
}
