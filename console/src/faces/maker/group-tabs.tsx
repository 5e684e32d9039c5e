import { useRef } from 'preact/hooks';
import { facesTexts } from '../../texts/editor/faces.ts';
import { type GroupId, groups } from './groups.ts';

interface GroupTabsProps {
  current: GroupId;
  /** The id of the element with the choices. */
  panelId: string;
  onChange(group: GroupId): void;
}

/** The tabs of the dialog. Arrow keys, Home and End move between them. */
export function GroupTabs({ current, panelId, onChange }: GroupTabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const keyDown = (event: KeyboardEvent) => {
    const at = groups.findIndex(({ id }) => id === current);
    const to = {
      ArrowRight: (at + 1) % groups.length,
      ArrowLeft: (at + groups.length - 1) % groups.length,
      Home: 0,
      End: groups.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onChange(groups[to]!.id);
    const tab = list.current?.children[to] as HTMLElement | undefined;
    tab?.focus();
    tab?.scrollIntoView({ block: 'nearest', inline: 'center' });
  };
  return (
    <div
      ref={list}
      class="maker-tabs"
      role="tablist"
      tabIndex={-1}
      aria-label={facesTexts.maker.groupsLabel}
      onKeyDown={keyDown}
    >
      {groups.map(({ id }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`${panelId}-${id}`}
          aria-selected={id === current}
          aria-controls={panelId}
          tabIndex={id === current ? 0 : -1}
          onClick={({ currentTarget }) => {
            onChange(id);
            currentTarget.scrollIntoView({ block: 'nearest', inline: 'center' });
          }}
        >
          {facesTexts.maker.groups[id]}
        </button>
      ))}
    </div>
  );
}
