import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { me } from '../../state/me.ts';
import { previewTexts } from '../../texts/editor/preview.ts';
import { texts } from '../../texts/texts.ts';
import type { Looks } from './looks.ts';
import type { Grant } from './visitor.ts';
import { whyNotShown } from './why-not-shown.ts';

/** Milliseconds after which a page that has not announced itself counts as not shown. */
const readyMs = 8_000;
/** The same, after the frame has loaded something: the page announces itself before that. */
const loadedMs = 1_000;

export interface PreviewFrameHandle {
  /** Starts a conversation, as soon as the page is ready. Ends the present one. */
  start(): void;
  readonly isTalking: boolean;
}

interface PreviewFrameProps {
  /** What the start card shows. */
  looks: Looks;
  /** Called before each conversation. `undefined` if it cannot start. */
  onStart(): Promise<Grant | undefined>;
  /** Called when the service no longer knows the preview of the last grant. */
  onWithdrawn(): void;
  handle(frame: PreviewFrameHandle): void;
}

/** The preview page of the public origin. It requests a grant before each conversation, and plays sound without a click inside the frame. */
export function PreviewFrame(props: PreviewFrameProps) {
  const element = useRef<HTMLIFrameElement>(null);
  const latest = useRef(props);
  latest.current = props;
  /** How often the page has announced that it is ready: again after each load of it. */
  const readies = useSignal(0);
  const problem = useSignal<string | undefined>(undefined);
  const attempt = useSignal(0);
  const loaded = useRef(() => {});
  const publicUrl = me.value?.publicUrl ?? '';
  const url = `${publicUrl}/preview/`;
  useLayoutEffect(() => {
    let isTalking = false;
    let isWanted = false;
    let isClosed = false;
    /** Whether the page itself has said why it is not ready. */
    let hasFailed = false;
    const { origin } = new URL(url);
    const explain = async () => {
      const reason = await whyNotShown(publicUrl);
      if (!isClosed && !hasFailed && readies.peek() === 0) problem.value = reason;
    };
    let timer = setTimeout(explain, readyMs);
    loaded.current = () => {
      clearTimeout(timer);
      if (readies.peek() === 0) timer = setTimeout(explain, loadedMs);
    };
    readies.value = 0;
    const send = () => element.current?.contentWindow?.postMessage({ preview: 'start' }, origin);
    const receive = async ({ source, origin: from, data, ports }: MessageEvent) => {
      if (source !== element.current?.contentWindow || from !== origin) return;
      const { preview } = Object(data) as { preview?: string };
      if (preview === 'code') ports[0]?.postMessage({ grant: await latest.current.onStart() });
      if (preview === 'talking' || preview === 'idle') isTalking = preview === 'talking';
      if (preview === 'withdrawn') latest.current.onWithdrawn();
      if (preview === 'failed') {
        hasFailed = true;
        problem.value = previewTexts.blocked.failed(publicUrl);
      }
      if (preview !== 'ready') return;
      readies.value++;
      isTalking = false;
      clearTimeout(timer);
      problem.value = undefined;
      if (isWanted) send();
      isWanted = false;
    };
    addEventListener('message', receive);
    latest.current.handle({
      start() {
        if (readies.peek() > 0) send();
        else isWanted = true;
      },
      get isTalking() {
        return isTalking;
      },
    });
    return () => {
      isClosed = true;
      clearTimeout(timer);
      removeEventListener('message', receive);
    };
  }, [url, attempt.value]);
  const looks = JSON.stringify(props.looks);
  useEffect(() => {
    if (readies.value === 0) return;
    const message = { preview: 'looks', looks: JSON.parse(looks) };
    element.current?.contentWindow?.postMessage(message, new URL(url).origin);
  }, [looks, readies.value, url]);
  const retry = () => {
    problem.value = undefined;
    attempt.value++;
  };
  return (
    <div class="preview-frame">
      <iframe
        key={attempt.value}
        ref={element}
        src={url}
        title={previewTexts.frame}
        allow="autoplay; microphone"
        onLoad={() => loaded.current()}
      />
      {problem.value === undefined ? null : (
        <div class="notice bad" role="alert">
          <h3>{previewTexts.blocked.title}</h3>
          <p>{problem.value}</p>
          <p>
            <a href={url} target="_blank" rel="noreferrer">
              {previewTexts.blocked.open}
            </a>
          </p>
          <Button onPress={retry}>{texts.tryAgain}</Button>
        </div>
      )}
    </div>
  );
}
