import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import type { Talking } from './talking-service.ts';

const place = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const bundles = new Map<string, string>();

/** The React example of the repository. */
export const reactExample = { entryPoints: [place('examples/react/main.tsx')] };

/** A bare player in `#root`, in StrictMode; the page calls `show(props)` and `hide()`. */
export const reactPlayer = {
  stdin: {
    resolveDir: place('examples/react'),
    contents: `import { ExperiencePlayer } from '@session-launch/react';
      import { createElement, StrictMode } from 'react';
      import { createRoot } from 'react-dom/client';
      const source = { experienceId: EXPERIENCE_ID, baseUrl: SERVICE_URL };
      const root = createRoot(document.getElementById('root'));
      const render = (player) => root.render(createElement(StrictMode, null, player));
      window.show = (props) => render(createElement(ExperiencePlayer, { ...source, ...props }));
      window.hide = () => render(null);`,
  },
};

/** Bundles `entry` with the React of the folder `react`. Bundles are cached per service. */
export async function bundleReact(react: string, entry: BuildOptions, talking: Talking): Promise<string> {
  const { experienceId, service } = talking;
  const name = JSON.stringify([react, entry, experienceId, service.url]);
  const made = bundles.get(name);
  if (made !== undefined) return made;
  const { outputFiles } = await build({
    ...entry,
    bundle: true,
    format: 'iife',
    jsx: 'automatic',
    write: false,
    alias: {
      react: place(`${react}/react`),
      'react-dom': place(`${react}/react-dom`),
      '@session-launch/react': place('sdk/react/src/index.ts'),
      '@session-launch/browser': place('sdk/browser/dist/index.js'),
    },
    define: {
      SERVICE_URL: JSON.stringify(service.url),
      EXPERIENCE_ID: JSON.stringify(experienceId),
      'process.env.NODE_ENV': '"development"',
    },
  });
  const { text } = outputFiles![0]!;
  bundles.set(name, text);
  return text;
}
