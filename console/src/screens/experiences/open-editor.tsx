import { lazy } from '../../parts/lazy.tsx';

/** The editor. Its code is loaded when it is first needed. */
export const OpenEditor = lazy(async () => (await import('../../editor/editor.tsx')).Editor);
