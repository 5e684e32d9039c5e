import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { batch, effect, type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { yamlTexts } from '../../texts/editor/yaml.ts';
import { merge } from '../document/merge.ts';
import { parsePath } from '../document/path.ts';
import { isSame, sharing } from '../document/same.ts';
import type { Draft } from '../saving/draft.ts';
import { CopyButton } from './copy-button.tsx';
import { highlightYaml } from './highlight.ts';
import { type ReadYaml, readYaml, type TextProblem, toYaml } from './text.ts';
import { theme } from './theme.ts';

/** Milliseconds after the last key until the text is read. */
const readMs = 250;

interface ShownProblem extends TextProblem {
  line: number;
}

/** The document as text. Text that can be read changes the draft; other text is kept as it is. */
export function YamlEditor({ draft }: { draft: Draft }) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const problems = useSignal<readonly ShownProblem[]>([]);
  useEffect(() => {
    const [opened, close] = open(host.current!, draft, problems);
    view.current = opened;
    return close;
  }, [draft]);
  const goTo = ({ from }: ShownProblem) => {
    view.current?.dispatch({ selection: { anchor: from }, scrollIntoView: true });
    view.current?.focus();
  };
  return (
    <>
      <div class="row spread">
        <p class="soft">{yamlTexts.intro}</p>
        <CopyButton draft={draft} />
      </div>
      {problems.value.length === 0 ? null : (
        <section class="editor-problems" tabIndex={-1} aria-labelledby="yaml-problems">
          <h2 id="yaml-problems">{yamlTexts.problems}</h2>
          {draft.text.value === undefined ? null : <p>{yamlTexts.notRead}</p>}
          <ul>
            {problems.value.map((problem) => (
              <li key={`${problem.from} ${problem.message}`}>
                <Button look="plain" onPress={() => goTo(problem)}>
                  {yamlTexts.problemAt(problem.line)}
                </Button>{' '}
                {problem.message}
              </li>
            ))}
          </ul>
        </section>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keeps keys that are typed here from the shortcuts of the page */}
      <div
        ref={host}
        onKeyDown={(event) => {
          if (event.key === '?') event.stopPropagation();
        }}
      />
      <p class="soft">{yamlTexts.help}</p>
    </>
  );
}

function open(
  host: HTMLElement,
  draft: Draft,
  shown: Signal<readonly ShownProblem[]>,
): [view: EditorView, close: () => void] {
  // In a shadow tree CodeMirror constructs its style sheets; in the page it would write style elements, which the policy forbids.
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  let read: ReadYaml = readYaml('');
  /** The document that the text was last equal to. */
  let base = draft.text.peek()?.base ?? draft.document.peek();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const showProblems = () => {
    const { doc } = view.state;
    const end = doc.length;
    const found = read.document === undefined ? read.problems : serverProblems(draft, read);
    const fitting = found.map(({ from, to, message }) => ({
      from: Math.min(from, end),
      to: Math.min(to, end),
      message,
      line: doc.lineAt(Math.min(from, end)).number,
    }));
    shown.value = fitting;
    const diagnostics = fitting.map(({ from, to, message }) => ({
      from,
      to,
      message,
      severity: 'error' as const,
    }));
    view.dispatch(setDiagnostics(view.state, diagnostics));
  };

  const readText = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = view.state.doc.toString();
    read = readYaml(text);
    const { document } = read;
    if (document === undefined) draft.text.value = { text, base };
    else
      batch(() => {
        const now = draft.document.peek();
        // Other tabs and other people may have changed the document since the text was last equal to it.
        const merged = merge(base, document, now).document;
        draft.text.value = undefined;
        draft.document.value = sharing(now, merged);
        base = draft.document.peek();
      });
    showProblems();
  };
  const finish = () => {
    if (timer !== undefined) readText();
  };

  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: draft.text.peek()?.text ?? toYaml(draft.document.peek()),
      extensions: [
        lineNumbers(),
        lintGutter(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        drawSelection(),
        history(),
        keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': yamlTexts.editor }),
        EditorState.readOnly.of(!draft.isEditable),
        EditorState.tabSize.of(2),
        replaceSelection,
        highlightYaml,
        theme,
        EditorView.updateListener.of(({ docChanged }) => {
          if (!docChanged || isReplacing) return;
          clearTimeout(timer);
          timer = setTimeout(readText, readMs);
        }),
      ],
    }),
  });
  let isReplacing = false;
  read = readYaml(view.state.doc.toString());

  const stopDocument = effect(() => {
    const document = draft.document.value;
    const unread = draft.text.value;
    if (timer !== undefined) return;
    const written = view.state.doc.toString();
    const isShown = unread === undefined ? isSame(read.document, document) : unread.text === written;
    if (isShown) return;
    // Changed elsewhere: discarded, merged, or undone.
    const next = unread?.text ?? toYaml(document);
    base = unread?.base ?? document;
    isReplacing = true;
    view.dispatch({ changes: { from: 0, to: written.length, insert: next } });
    isReplacing = false;
    read = readYaml(next);
  });
  const stopProblems = effect(() => {
    void draft.problems.value;
    if (timer === undefined) showProblems();
  });
  draft.typing.add(finish);
  const close = () => {
    finish();
    draft.typing.delete(finish);
    stopDocument();
    stopProblems();
    view.destroy();
  };
  return [view, close];
}

/**
 * Replaces selected text by what is typed. Left to Chromium, the new text would get a style attribute that preserves the look of the old
 * text, which the policy forbids.
 */
const replaceSelection = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    const { state, composing } = view;
    const isReplacing = inputType === 'insertText' && data !== null && !state.selection.main.empty;
    if (!isReplacing || composing || state.readOnly) return false;
    const change = state.replaceSelection(data);
    view.dispatch(state.update(change, { userEvent: 'input.type', scrollIntoView: true }));
    return true;
  },
});

/** The problems that the service found, at their places in the text. */
function serverProblems(draft: Draft, { spanOf }: ReadYaml): TextProblem[] {
  return draft.problems.peek().map(({ path, message }) => ({
    ...spanOf(parsePath(path)),
    message: path === '' ? message : `${path} ${message}`,
  }));
}
