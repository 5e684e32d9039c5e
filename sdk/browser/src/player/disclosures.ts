import type { SessionManifest, TextKey } from '../types.ts';

/** The engines of a session, from the runtime's `ready` event. */
export type Engines = Record<'mind' | 'speech' | 'hearing', { kind: string; name?: string }>;

/** Sentences that disclose to the visitor what produces the answers and the voice. */
export function disclosures(
  engines: Engines | undefined,
  manifest: SessionManifest | undefined,
  text: (key: TextKey) => string,
): string[] {
  if (!engines) return [];
  const { mind, speech, hearing } = engines;
  const lines = [
    mind.kind === 'script' ? text('scripted') : text('modelled').replaceAll('{name}', () => mind.name ?? ''),
  ];
  if (speech.kind === 'client') lines.push(text('pageVoice'));
  if (speech.kind === 'captions') lines.push(text('noVoice'));
  if (hearing.kind === 'none' && manifest?.speechInputMode !== 'off') lines.push(text('noHearing'));
  return lines;
}
