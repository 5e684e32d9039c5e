import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { setupTexts } from '../../../texts/editor/setup.ts';
import type { Path } from '../../document/path.ts';
import { schemaAt } from '../../document/schema.ts';
import { useField } from '../../fields/fields.tsx';
import type { Draft } from '../../saving/draft.ts';
import { play } from './play.ts';

/** The samples. Each is a separate file that is loaded when it is first played. */
const samples: Record<string, () => Promise<{ default: Uint8Array }>> = {
  slt: () => import('./voices/slt.ulaw'),
  rms: () => import('./voices/rms.ulaw'),
  awb: () => import('./voices/awb.ulaw'),
  kal16: () => import('./voices/kal16.ulaw'),
};

/** Plays the included voice of a character at its pitch and speed. `path` is that of the settings of the voice. */
export function Listen({ draft, path }: { draft: Draft; path: Path }) {
  const id = useId();
  const isPlaying = useSignal(false);
  const { value } = useField(draft, [...path, 'voice']);
  const voice = String(value ?? schemaAt([...path, 'voice']).default);
  const sample = samples[voice];
  if (sample === undefined) return null;
  const listen = async () => {
    isPlaying.value = true;
    try {
      // The pitch of rms is fixed, as in the runtime.
      const pitch = voice === 'rms' ? 1 : factorAt(draft, [...path, 'pitch']);
      await play((await sample()).default, pitch, factorAt(draft, [...path, 'rate']));
    } finally {
      isPlaying.value = false;
    }
  };
  const { characters } = setupTexts;
  return (
    <div class="listen">
      <Button label={characters.listen} describedBy={id} onPress={listen}>
        ▶ {isPlaying.value ? characters.playing : characters.listen}
      </Button>
      <p id={id} class="soft">
        {characters.listenHelp}
      </p>
    </div>
  );
}

/** The factor at a path. The runtime also takes 1 for a value that is missing or outside of its limits. */
function factorAt(draft: Draft, path: Path): number {
  const value = draft.at(path);
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = schemaAt(path);
  return typeof value === 'number' && value >= minimum && value <= maximum ? value : 1;
}
