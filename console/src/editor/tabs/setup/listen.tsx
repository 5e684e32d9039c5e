import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { setupTexts } from '../../../texts/editor/setup.ts';
import { play } from '../../../voices/play.ts';
import { samples } from '../../../voices/samples.ts';
import type { Path } from '../../document/path.ts';
import { schemaAt } from '../../document/schema.ts';
import { useField } from '../../fields/fields.tsx';
import type { Draft } from '../../saving/draft.ts';

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
      await play((await sample.sound()).default, { pitch, rate: factorAt(draft, [...path, 'rate']) });
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
