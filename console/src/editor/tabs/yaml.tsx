import { lazy } from '../../parts/lazy.tsx';

/** The document as text. The text editor is loaded when it is first needed. */
export const Yaml = lazy(async () => (await import('../yaml/yaml-editor.tsx')).YamlEditor);
