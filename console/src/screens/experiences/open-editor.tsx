import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../../parts/notice.tsx';
import { texts } from '../../texts.ts';

type Editor = typeof import('../../editor/editor.tsx').Editor;
type EditorProps = Editor extends FunctionComponent<infer Props> ? Props : never;

/** Loads the code of the editor when it is first needed. */
export function OpenEditor(props: EditorProps) {
  const [loaded, setLoaded] = useState<{ Editor?: Editor; error?: unknown }>({});
  useEffect(() => {
    import('../../editor/editor.tsx').then(setLoaded, (error: unknown) => setLoaded({ error }));
  }, []);
  if (loaded.error !== undefined) return <Failure error={loaded.error} onRetry={() => location.reload()} />;
  if (loaded.Editor === undefined) return <p class="loading">{texts.loading}</p>;
  return <loaded.Editor {...props} />;
}
