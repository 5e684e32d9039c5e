import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../../api/client.ts';
import { toast } from '../../state/toasts.ts';

/** Shows a component whose code is loaded when it is first needed. */
export function Later<Props extends { onClose(): void }>({
  load,
  props,
}: {
  load: () => Promise<FunctionComponent<Props>>;
  props: Props;
}) {
  const [loaded, setLoaded] = useState<{ Component: FunctionComponent<Props> } | undefined>(undefined);
  useEffect(() => {
    load().then(
      (Component) => setLoaded({ Component }),
      (error: unknown) => {
        toast(messageOf(error), { tone: 'bad' });
        props.onClose();
      },
    );
  }, [load]);
  return loaded === undefined ? null : <loaded.Component {...props} />;
}
