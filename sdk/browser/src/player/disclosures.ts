import type { SessionManifest, TextKey } from '../types.ts';

type Engine = { kind: string; name?: string };
/** The engines of a session, from the runtime's `ready` event. */
export type Engines = Record<'mind' | 'speech' | 'hearing', Engine> & { secondarySpeech?: Engine };

/** The name of the engine that the runtime includes; others are services. */
const local = 'moonshine-tiny';

function heardBy({ kind, name }: Engine, text: (key: TextKey) => string): string {
  if (kind === 'none') return text('noHearing');
  if (kind === 'client') return text('heardInPage');
  return name === local ? text('heardHere') : text('heardBy').replaceAll('{name}', () => name ?? '');
}

/** Sentences that disclose to the visitor what produces the answers and the voice, and where the visitor's speech goes. */
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
  if (manifest?.speechInputMode !== 'off') lines.push(heardBy(hearing, text));
  return lines;
}
