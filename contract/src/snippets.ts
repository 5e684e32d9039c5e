declare const made: unique symbol;

/** Code to copy. Only the functions of this module return it; `server/test/browser/snippets.test.ts` runs what each of them returns. */
export type Snippet = string & { readonly [made]: true };

interface Start {
  publicUrl: string;
  experienceId: string;
}

/** Two lines of HTML. `endpoint` is `public` for pages of other sites. */
export function htmlSnippet({ publicUrl, experienceId, endpoint = 'browser' }: HtmlFacts): Snippet {
  return lines(
    `<script src=${attribute(`${publicUrl}/sdk/v2/session-launch.js`)}></script>`,
    `<session-experience experience-id=${attribute(experienceId)}${endpoint === 'public' ? ' door="public"' : ''}></session-experience>`,
  );
}

interface HtmlFacts extends Start {
  endpoint?: 'browser' | 'public';
}

/** A React component. */
export function reactSnippet({ publicUrl, experienceId }: Start): Snippet {
  return lines(
    "import { ExperiencePlayer } from '@session-launch/react';",
    '',
    'export function Character() {',
    `  return <ExperiencePlayer experienceId=${attribute(experienceId)} baseUrl=${attribute(publicUrl)} />;`,
    '}',
  );
}

/**
 * A relay for Express, with the key in `LAUNCH_KEY`. The function that recognises the visitor is imported from a file of the reader's:
 * a copy that runs without that file would let every visitor create sessions.
 */
export function relaySnippet({ publicUrl, experienceId }: Start): Snippet {
  return lines(
    "import { createRelay, SessionLaunch, toExpress } from '@session-launch/backend';",
    "import express from 'express';",
    '// Your own sign-in: returns the user of a request, or null.',
    "import { userOf } from './sign-in.js';",
    '',
    'const client = new SessionLaunch({',
    `  baseUrl: ${jsString(publicUrl)},`,
    '  apiKey: process.env.LAUNCH_KEY,',
    '});',
    'const relay = createRelay(client, {',
    '  authorize: async (request) => {',
    '    const user = await userOf(request);',
    '    return user && { userId: user.id };',
    '  },',
    `  experiences: [${jsString(experienceId)}],`,
    '});',
    'const app = express();',
    "app.all('/api/launch', toExpress(relay.mint));",
    'app.listen(3000);',
  );
}

/** The lines of a page that uses the relay. */
export function relayPageSnippet({ publicUrl, experienceId }: Start): Snippet {
  return lines(
    `<script src=${attribute(`${publicUrl}/sdk/v2/session-launch.js`)}></script>`,
    `<session-experience experience-id=${attribute(experienceId)} relay-url="/api/launch"></session-experience>`,
  );
}

/** A mint in Node.js, with the key in `LAUNCH_KEY`. It prints the session, which contains no credential. */
export function nodeSnippet({ publicUrl, experienceId }: Start): Snippet {
  return lines(
    "import { SessionLaunch } from '@session-launch/backend';",
    '',
    'const client = new SessionLaunch({',
    `  baseUrl: ${jsString(publicUrl)},`,
    '  apiKey: process.env.LAUNCH_KEY,',
    '});',
    'const { session, launch } = await client.sessions.mint({',
    `  experienceId: ${jsString(experienceId)},`,
    '});',
    '// Send `launch` to your page. It contains a token: do not log it.',
    'console.log(session.sessionId, launch.expiresAt);',
  );
}

/** Runs the code of `nodeSnippet` in `mint.mjs`, with the line of `keyVariableSnippet` in `.env`. */
export const nodeCommand = 'node --env-file=.env mint.mjs';

/** A mint from a script on a page of an allowed origin. */
export function fetchSnippet({ publicUrl, experienceId }: Start): Snippet {
  return lines(
    `const response = await fetch(${jsString(`${publicUrl}/v1/browser-sessions`)}, {`,
    "  method: 'POST',",
    "  headers: { 'Content-Type': 'application/json' },",
    `  body: JSON.stringify({ experienceId: ${jsString(experienceId)} }),`,
    '});',
    'if (!response.ok) throw new Error(await response.text());',
    'const { launch } = await response.json();',
  );
}

interface CurlFacts {
  publicUrl: string;
  /** Default: a mint from a backend. */
  route?: 'sessions' | 'browser-sessions' | 'public-sessions';
  /** An API key, or the variable of the shell that has it. A page sends none. */
  key?: { text: string } | { variable: string };
  headers?: Record<string, string>;
  body: { experienceId: string } & Record<string, unknown>;
}

/** A mint with curl. */
export function curlSnippet({ publicUrl, route = 'sessions', key, headers = {}, body }: CurlFacts): Snippet {
  const authorization =
    key === undefined
      ? []
      : [
          'variable' in key
            ? `"Authorization: Bearer $${key.variable}"`
            : shellWord(`Authorization: Bearer ${key.text}`),
        ];
  const others = Object.entries({ ...headers, 'Content-Type': 'application/json' });
  return [
    `curl -X POST ${shellWord(`${publicUrl}/v1/${route}`)}`,
    ...[...authorization, ...others.map(([name, value]) => shellWord(`${name}: ${value}`))].map(
      (header) => `-H ${header}`,
    ),
    `-d ${shellWord(JSON.stringify(body))}`,
  ].join(' \\\n  ') as Snippet;
}

/** The line of an `.env` file that the other snippets expect. */
export function keyVariableSnippet(key: string): Snippet {
  return lines(`LAUNCH_KEY=${key}`);
}

/** Creates a key of the demo project, for a reader who has lost the first one. */
export function createKeySnippet(projectId: string): Snippet {
  return lines(
    `npx session-launch keys create --project ${shellWord(projectId)} --mode test --scope sessions:create`,
  );
}

function lines(...parts: string[]): Snippet {
  return parts.join('\n') as Snippet;
}

/** A word of a shell command. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A JavaScript string, which also stays inside of a `<script>` element. */
export function jsString(text: string): string {
  return `'${text.replace(/[\\'<\p{Cc}\u2028\u2029]/gu, (character) =>
    /[\\']/.test(character) ? `\\${character}` : `\\u{${character.charCodeAt(0).toString(16)}}`,
  )}'`;
}

/** The value of an attribute in HTML and JSX. */
export function attribute(text: string): string {
  return `"${text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`)}"`;
}
