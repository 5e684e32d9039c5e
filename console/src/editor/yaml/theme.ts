import { EditorView } from '@codemirror/view';

/** The look of the text editor. It is in a shadow tree, where only the custom properties of the page apply. */
export const theme = EditorView.theme({
  '&': {
    border: '1px solid var(--edge)',
    borderRadius: 'var(--radius)',
    background: 'var(--raised)',
    color: 'var(--ink)',
    fontSize: '0.85rem',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.5rem 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { background: 'var(--sunken)', color: 'var(--soft)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'var(--tint)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 30%, transparent)',
  },
  '.cm-tooltip, .cm-panels': {
    border: '1px solid var(--line)',
    background: 'var(--raised)',
    color: 'var(--ink)',
    fontFamily: 'var(--text)',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-lintRange-error': {
    background: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textDecorationSkipInk: 'none',
  },
  '.y-key': { color: 'var(--accent)' },
  '.y-text': { color: 'var(--warn)' },
  '.y-plain': { color: 'var(--good)' },
  '.y-comment': { color: 'var(--soft)', fontStyle: 'italic' },
});
