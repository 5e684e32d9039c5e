import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { messageOf } from '../../api/client.ts';
import { toast } from '../../state/toasts.ts';

export interface MenuItem {
  label: string;
  /** A link instead of an action. */
  href?: string;
  run?: () => unknown;
  isDangerous?: boolean;
}

/** A button that opens a list of actions. The arrow keys move between them; Escape closes it and gives the focus back. */
export function Menu({
  label,
  items,
  children,
}: {
  label: string;
  items: readonly MenuItem[];
  children: ComponentChildren;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLUListElement>(null);
  const open = ({ newState }: { newState: string }) => {
    if (newState !== 'open') return;
    placeBelow(menu.current!, button.current!);
    entries(menu.current)[0]?.focus({ preventScroll: true });
  };
  const step = (event: KeyboardEvent) => {
    const all = entries(menu.current);
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    all.at(to % all.length)?.focus();
  };
  const run = async (item: MenuItem) => {
    menu.current?.hidePopover();
    try {
      await item.run?.();
    } catch (error) {
      toast(messageOf(error), { tone: 'bad' });
    }
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="button plain menu-button"
        aria-label={label}
        popovertarget={id}
        data-menu
      >
        {children}
      </button>
      <ul ref={menu} id={id} class="menu" popover="auto" aria-label={label} onToggle={open} onKeyDown={step}>
        {items.map((item) => (
          <li key={item.label}>
            {item.href === undefined ? (
              <button type="button" class={item.isDangerous ? 'bad' : undefined} onClick={() => run(item)}>
                {item.label}
              </button>
            ) : (
              <a href={item.href} onClick={() => menu.current?.hidePopover()}>
                {item.label}
              </a>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function entries(menu: HTMLElement | null): HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('button, a') ?? [])];
}

/** Places a popover at the lower end of its button, or above it if there is no room. It scrolls with the page. */
function placeBelow(menu: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const isBelow = at.bottom + height + 8 <= innerHeight || at.top < height;
  const top = isBelow ? at.bottom + 4 : at.top - height - 4;
  const left = Math.max(8, Math.min(at.right, document.documentElement.clientWidth - 8) - width);
  menu.style.setProperty('top', `${top + scrollY}px`);
  menu.style.setProperty('left', `${left + scrollX}px`);
}
