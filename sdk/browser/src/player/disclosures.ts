import type { SessionManifest, TextKey } from '../types.ts';

type Engine = { kind: string; name?: string };
/** The engines of a session, from the runtime's `ready` event. */
export type Engines = Record<'mind' | 'speech' | 'hearing', Engine> & { secondarySpeech?: Engine };

/** Sentences that disclose to the visitor what produces the answers and the voice. */
export function disclosures(
  engines: Engines | undefined,
  manifest: SessionManifest | undefined,
  text: (key: TextKey) => string,
): string[] {
  if (!engines) return [];
  const { mind, speech, secondarySpeech = speech, hearing } = engines;
  const lines = [
    mind.kind === 'script' ? text('scripted') : text('modelled').replaceAll('{name}', () => mind.name ?? ''),
  ];
  if (speech.kind === 'client' || secondarySpeech.kind === 'client') lines.push(text('pageVoice'));
  const isSilent = speech.kind === 'captions';
  if (isSilent !== (secondarySpeech.kind === 'captions')) lines.push(text('noVoiceForOne'));
  else if (isSilent) lines.push(text('noVoice'));
  if (hearing.kind === 'none' && manifest?.speechInputMode !== 'off') lines.push(text('noHearing'));
  return lines;
}
