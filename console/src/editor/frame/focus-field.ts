import { parsePath, pathText } from '../document/path.ts';

const canBeFocused = 'input, textarea, select, button, [contenteditable="true"]';

const closedCard = ':scope > .item-head [aria-expanded="false"]';

/**
 * Focuses the field at a path: the one that `data-path` marks, the nearest marked one around it, or the first invalid one. Opens the card
 * around it first.
 */
export function focusField(root: ParentNode, path: string): void {
  for (let steps = parsePath(path); steps.length > 0; steps = steps.slice(0, -1)) {
    const marked = root.querySelector(`[data-path="${CSS.escape(pathText(steps))}"]`);
    const toggle = marked?.querySelector<HTMLElement>(closedCard);
    if (toggle) {
      toggle.click();
      requestAnimationFrame(() => focusField(root, path));
      return;
    }
    if (focus(marked)) return;
  }
  focus(root.querySelector('[aria-invalid="true"]'));
}

function focus(element: Element | null): boolean {
  const target = element?.matches(canBeFocused) ? element : element?.querySelector(canBeFocused);
  if (!(target instanceof HTMLElement)) return false;
  target.focus();
  target.scrollIntoView({ block: 'center' });
  return true;
}
