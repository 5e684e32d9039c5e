import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { texts } from '../texts/texts.ts';

/** The frame of a screen: its heading, which is also the title of the tab, and its buttons. */
export function Screen({
  title,
  actions,
  intro,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  intro?: ComponentChildren;
  children: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} – ${texts.product}`;
  }, [title]);
  return (
    <div class="stack">
      <div class="row spread">
        <h1>{title}</h1>
        {actions === undefined ? null : <div class="row">{actions}</div>}
      </div>
      {intro === undefined ? null : <p class="soft">{intro}</p>}
      {children}
    </div>
  );
}
