import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Empty } from './notice.tsx';

/** A component whose code is loaded when it is first shown. If the file is gone because of a new build, it offers to reload the page. */
export function lazy<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props> {
  return (props) => {
    const [loaded, setLoaded] = useState<{ Loaded?: FunctionComponent<Props>; isGone?: boolean }>({});
    useEffect(() => {
      load().then(
        (Loaded) => setLoaded({ Loaded }),
        () => setLoaded({ isGone: true }),
      );
    }, []);
    if (loaded.isGone) return <Gone />;
    if (loaded.Loaded === undefined)
      return (
        <p class="loading" role="status">
          {texts.loading}
        </p>
      );
    return <loaded.Loaded {...props} />;
  };
}

function Gone() {
  return (
    <Empty title={texts.offline.gone}>
      <p>{texts.offline.goneText}</p>
      <Button look="primary" onPress={() => location.reload()}>
        {texts.offline.reloadButton}
      </Button>
    </Empty>
  );
}
