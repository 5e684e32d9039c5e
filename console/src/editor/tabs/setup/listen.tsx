import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { setupTexts } from '../../../texts/editor/setup.ts';
import { play } from '../../../voices/play.ts';
import { samples } from '../../../voices/samples.ts';
import type { Path } from '../../document/path.ts';
import { schemaAt } from '../../document/schema.ts';
import { useField } from '../../fields/fields.tsx';
import { sampleVoiceAt } from '../../fields/sample-voice.ts';
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
      await play((await sample.sound()).default, sampleVoiceAt(draft, path));
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
