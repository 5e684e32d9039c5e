import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { texts } from '../../texts.ts';

type Editor = typeof import('../../editor/editor.tsx').Editor;
type EditorProps = Editor extends FunctionComponent<infer Props> ? Props : never;

/** Loads the code of the editor when it is first needed. */
export function OpenEditor(props: EditorProps) {
  const [loaded, setLoaded] = useState<{ Editor?: Editor; error?: unknown }>({});
  useEffect(() => {
    import('../../editor/editor.tsx').then(setLoaded, (error: unknown) => setLoaded({ error }));
  }, []);
  // The frame of the page shows it, with a button to reload: a browser does not load a failed module again.
  if (loaded.error !== undefined) throw loaded.error;
  if (loaded.Editor === undefined) return <p class="loading">{texts.loading}</p>;
  return <loaded.Editor {...props} />;
}
