import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { setupTexts } from '../../../texts/editor/setup.ts';
import type { Draft } from '../../draft.ts';
import { useField } from '../../fields.tsx';
import type { Path } from '../../path.ts';
import { schemaAt } from '../../schema.ts';
import { play } from './play.ts';

/** The samples. Each is a separate file that is loaded when it is first played. */
const samples: Record<string, () => Promise<{ default: Uint8Array }>> = {
  slt: () => import('./voices/slt.ulaw'),
  rms: () => import('./voices/rms.ulaw'),
  awb: () => import('./voices/awb.ulaw'),
  kal16: () => import('./voices/kal16.ulaw'),
};

/** Plays the included voice of a character. */
export function Listen({ draft, path }: { draft: Draft; path: Path }) {
  const id = useId();
  const isPlaying = useSignal(false);
  const { value } = useField(draft, path);
  const voice = String(value ?? schemaAt(path).default);
  const sample = samples[voice];
  if (sample === undefined) return null;
  const listen = async () => {
    isPlaying.value = true;
    try {
      await play((await sample()).default);
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
