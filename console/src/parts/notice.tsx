import './notice.css';
import { useSignal } from '@preact/signals';
import type { Snippet } from '@session-launch/contract/snippets';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { ApiFailure, messageOf } from '../api/client.ts';
import type { Loaded } from '../state/load.ts';
import { toast } from '../state/toasts.ts';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';

/** What a screen says when there is nothing to show, and the next step. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="notice">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Failure({ error, onRetry }: { error: unknown; onRetry?: (() => unknown) | undefined }) {
  const requestId = error instanceof ApiFailure ? error.requestId : undefined;
  return (
    <div class="notice bad" role="alert">
      <h2>{texts.failure.title}</h2>
      <p>{messageOf(error)}</p>
      {requestId === undefined ? null : (
        <p class="soft">
          {texts.failure.requestId} <code>{requestId}</code>
        </p>
      )}
      {onRetry === undefined ? null : <Button onPress={onRetry}>{texts.tryAgain}</Button>}
    </div>
  );
}

/** Shows loaded data, or why there is none. */
export function Show<T>({
  loaded,
  children,
}: {
  loaded: Loaded<T>;
  children: (data: T) => ComponentChildren;
}) {
  const { data, error, reload } = loaded;
  if (data !== undefined) return <>{children(data)}</>;
  if (error !== undefined) return <Failure error={error} onRetry={reload} />;
  return (
    <p class="loading" role="status">
      {texts.loading}
    </p>
  );
}

export function Badge({
  tone = '',
  children,
}: {
  tone?: 'good' | 'warn' | 'bad' | '';
  children: ComponentChildren;
}) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

interface CopyProps {
  label: string;
  /** Shown above the text. */
  caption?: string;
  autoFocus?: boolean;
  onCopy?: () => void;
}

/** Code to copy. It must come from `contract/snippets`: the tests run that code. */
export function CopyCode({ code, ...props }: CopyProps & { code: Snippet }) {
  return <Copy text={code} {...props} />;
}

/** A key, a token, a link or data to copy. */
export function CopyValue({ value, ...props }: CopyProps & { value: string }) {
  return <Copy text={value} {...props} />;
}

/** Text to copy. The text itself can be selected where the clipboard is not available. */
function Copy({ text, label, caption, autoFocus = false, onCopy }: CopyProps & { text: string }) {
  const isCopied = useSignal(false);
  const shown = useRef<HTMLPreElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // The browser has no clipboard here, or forbids it.
      if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
      toast(texts.copyByHand);
      return;
    }
    onCopy?.();
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, 2_000);
  };
  return (
    <div class="copy">
      {caption === undefined ? null : <p class="caption">{caption}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <pre ref={shown} tabIndex={0}>
        <code>{text}</code>
      </pre>
      <Button label={texts.copyOf(label)} autoFocus={autoFocus} onPress={copy}>
        <span aria-live="polite">{isCopied.value ? texts.copied : texts.copy}</span>
      </Button>
    </div>
  );
}
