import './jump.css';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import type { Target } from '../state/screen.ts';
import { texts } from '../texts/texts.ts';
import { loadTargets } from './targets.ts';

const maxShown = 30;

/** Ctrl+K: jumps to a screen, project, experience, key or session by its title or id. */
export function Jump() {
  const isOpen = useSignal(false);
  useEffect(
    () =>
      onKey((event) => {
        if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return;
        event.preventDefault();
        // A jump would close the dialog, with what is typed or shown only once in it.
        if (document.querySelector('dialog[open]') === null) isOpen.value = true;
      }),
    [],
  );
  const close = () => {
    isOpen.value = false;
  };
  return isOpen.value ? <JumpDialog onClose={close} /> : null;
}

function JumpDialog({ onClose }: { onClose(): void }) {
  const written = useSignal('');
  const targets = useSignal<readonly Target[]>([]);
  useEffect(() => {
    void loadTargets().then((found) => {
      targets.value = found;
    });
  }, []);
  const wanted = written.value.trim().toLowerCase();
  const found = targets.value
    .filter(({ title, id }) => `${title} ${id}`.toLowerCase().includes(wanted))
    .slice(0, maxShown);
  const first = found[0];
  const submit = (event: Event) => {
    event.preventDefault();
    if (first === undefined) return;
    location.hash = first.href;
    onClose();
  };
  return (
    <Dialog title={texts.jump.title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <TextField
          label={texts.jump.field}
          type="search"
          value={written.value}
          onInput={(value) => {
            written.value = value;
          }}
          autoFocus
        />
        {found.length === 0 ? <p class="soft">{texts.jump.empty}</p> : null}
        <ul class="jump-list">
          {found.map(({ href, title, id }) => (
            <li key={href}>
              <a href={href} onClick={onClose}>
                <bdi>{title}</bdi>
                <code class="soft">{id}</code>
              </a>
            </li>
          ))}
        </ul>
      </form>
    </Dialog>
  );
}

/** `?` lists the keys, except in a text field. */
export function KeyboardHelp() {
  const isOpen = useSignal(false);
  useEffect(
    () =>
      onKey(({ key, target }) => {
        const isTyping = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
        if (key === '?' && !isTyping) isOpen.value = true;
      }),
    [],
  );
  if (!isOpen.value) return null;
  const keys: [key: string, what: string][] = [
    ['Ctrl+K', texts.help.jump],
    ['Ctrl+S', texts.help.save],
    ['?', texts.help.keys],
  ];
  return (
    <Dialog
      title={texts.help.title}
      onClose={() => {
        isOpen.value = false;
      }}
    >
      <dl class="facts">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function onKey(call: (event: KeyboardEvent) => void): () => void {
  addEventListener('keydown', call);
  return () => removeEventListener('keydown', call);
}
