import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { me } from '../../state/me.ts';
import { previewTexts } from '../../texts/editor/preview.ts';
import type { Grant } from './visitor.ts';

/** Milliseconds after which a page that has not announced itself counts as unreachable. */
const readyMs = 8_000;

export interface FrameHandle {
  /** Starts a conversation, as soon as the page is ready. Ends the present one. */
  start(): void;
  readonly isTalking: boolean;
}

interface FrameProps {
  /** Called before each conversation. `undefined` if it cannot start. */
  onStart(): Promise<Grant | undefined>;
  /** Called when the service no longer knows the preview of the last grant. */
  onWithdrawn(): void;
  handle(frame: FrameHandle): void;
}

/** The preview page of the public origin. It requests a grant before each conversation, and plays sound without a click inside the frame. */
export function Frame(props: FrameProps) {
  const element = useRef<HTMLIFrameElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const isUnreachable = useSignal(false);
  const url = `${me.value?.publicUrl ?? ''}/preview/`;
  useLayoutEffect(() => {
    let isReady = false;
    let isTalking = false;
    let isWanted = false;
    const { origin } = new URL(url);
    const timer = setTimeout(() => {
      isUnreachable.value = true;
    }, readyMs);
    const send = () => element.current?.contentWindow?.postMessage({ preview: 'start' }, origin);
    const receive = async ({ source, origin: from, data, ports }: MessageEvent) => {
      if (source !== element.current?.contentWindow || from !== origin) return;
      const { preview } = Object(data) as { preview?: string };
      if (preview === 'code') ports[0]?.postMessage({ grant: await latest.current.onStart() });
      if (preview === 'talking' || preview === 'idle') isTalking = preview === 'talking';
      if (preview === 'withdrawn') latest.current.onWithdrawn();
      if (preview !== 'ready') return;
      isReady = true;
      isTalking = false;
      clearTimeout(timer);
      isUnreachable.value = false;
      if (isWanted) send();
      isWanted = false;
    };
    addEventListener('message', receive);
    latest.current.handle({
      start() {
        if (isReady) send();
        else isWanted = true;
      },
      get isTalking() {
        return isTalking;
      },
    });
    return () => {
      clearTimeout(timer);
      removeEventListener('message', receive);
    };
  }, [url]);
  return (
    <div class="preview-frame">
      <iframe ref={element} src={url} title={previewTexts.frame} allow="autoplay; microphone" />
      {isUnreachable.value ? (
        <div class="notice bad" role="alert">
          <h3>{previewTexts.unreachable}</h3>
          <p>{previewTexts.unreachableText(url, location.origin)}</p>
        </div>
      ) : null}
    </div>
  );
}
