import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/notice.tsx';
import { yamlTexts } from '../../texts/editor/yaml.ts';
import { texts } from '../../texts.ts';
import type { Draft } from '../draft.ts';

type YamlEditor = typeof import('../yaml/yaml-editor.tsx').YamlEditor;

/** Loads the text editor when it is first needed. */
export function Yaml({ draft }: { draft: Draft }) {
  const [loaded, setLoaded] = useState<{ YamlEditor?: YamlEditor; error?: unknown }>({});
  useEffect(() => {
    import('../yaml/yaml-editor.tsx').then(setLoaded, (error: unknown) => setLoaded({ error }));
  }, []);
  if (loaded.error !== undefined)
    return (
      <>
        <Failure error={loaded.error} />
        <p>
          <Button onPress={() => location.reload()}>{texts.offline.reloadButton}</Button>
        </p>
      </>
    );
  if (loaded.YamlEditor === undefined) return <p class="loading">{yamlTexts.loading}</p>;
  return <loaded.YamlEditor draft={draft} />;
}
