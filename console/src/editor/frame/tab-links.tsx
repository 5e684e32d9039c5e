import { useEffect, useRef } from 'preact/hooks';
import { hashOf } from '../../state/route.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { type Tab, tabNames } from '../document/tab-of.ts';
import type { Draft } from '../saving/draft.ts';

/** The links to the tabs. On a narrow screen they scroll sideways, so that the current one is visible. */
export function TabLinks({ draft, tab }: { draft: Draft; tab: Tab }) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    const links = ref.current;
    const current = links?.querySelector<HTMLElement>('[aria-current]');
    if (links && current)
      links.scrollLeft = current.offsetLeft - (links.clientWidth - current.offsetWidth) / 2;
  }, [tab]);
  return (
    <nav class="editor-tabs" ref={ref} aria-label={frameTexts.tabs.label}>
      {tabNames.map((name) => (
        <a
          key={name}
          href={hashOf([draft.projectId, 'experiences', draft.experienceId, name])}
          aria-current={name === tab ? 'page' : undefined}
        >
          {frameTexts.tabs[name]}
        </a>
      ))}
    </nav>
  );
}
