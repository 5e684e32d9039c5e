import type { Path } from '../document/path.ts';
import { schemaAt } from '../document/schema.ts';
import type { Draft } from '../saving/draft.ts';

/** The included voice of a character, as its samples are played. `path` is that of its settings. */
export function sampleVoiceAt(draft: Draft, path: Path): { voice: string; pitch: number; rate: number } {
  const at = (field: string) => draft.at([...path, field]);
  const voice = String(at('voice') ?? schemaAt([...path, 'voice']).default);
  /** The runtime also takes 1 for a value that is missing or outside of its limits. */
  const factor = (field: string) => {
    const value = at(field);
    const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = schemaAt([...path, field]);
    return typeof value === 'number' && value >= minimum && value <= maximum ? value : 1;
  };
  // The pitch of rms is fixed, as in the runtime.
  return { voice, pitch: voice === 'rms' ? 1 : factor('pitch'), rate: factor('rate') };
}
