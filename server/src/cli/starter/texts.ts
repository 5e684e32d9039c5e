import { jsString } from '@session-launch/contract/snippets';
import type { Template } from './templates.ts';

export interface StarterFacts {
  template: Template;
  projectId: string;
  experienceId: string;
  publicUrl: string;
  port: number;
}

export function projectFile({ projectId, experienceId, port }: StarterFacts): string {
  return `# The project and its experiences. After a change: npx session-launch apply project.yaml
project:
  id: ${projectId}
  name: "${projectId.slice('prj_'.length)}"
  browserEmbeds: true
  allowedOrigins: [http://localhost:${port}]
experiences:
  - id: ${experienceId}
    slug: hello
    title: Hello
    status: published
    runtime:
      characters:
        - characterId: ada
          name: Ada
      # The runtime included in the service. Add a url to use your own.
      transport: { type: websocket }
      # What the character says without a language model. See docs/runtime.md of the service.
      mind:
        greeting: { en: [Hello! I am Ada. Ask me about numbers.] }
        topics:
          - id: numbers
            ask: { en: Do you like numbers? }
            words: { en: [number, maths, count] }
            tell: { en: [I like them best when they rhyme. Seven and eleven do.] }
`;
}

export function environmentFile({ projectId, publicUrl }: StarterFacts, key: string): string {
  return `# Keep the key on this server: never commit it, never send it to a browser.
LAUNCH_URL=${publicUrl}
LAUNCH_KEY=${key}
LAUNCH_PROJECT=${projectId}
`;
}

export function pageSettings({ publicUrl, experienceId }: StarterFacts): string {
  return `// The service that creates the sessions, and the experience that the page launches.
export const launchUrl = ${jsString(publicUrl)};
export const experienceId = ${jsString(experienceId)};
`;
}

export function readme({ template, projectId, publicUrl, port }: StarterFacts): string {
  const how =
    template === 'static'
      ? 'The page creates sessions itself. The service allows it because `project.yaml` lists its origin; the key in `.env` is for experiments on the command line.'
      : 'The page creates sessions through a relay, an endpoint of this server. The server calls the service with the key in `.env`, which is never sent to a page.';
  return `# ${projectId}

${how}

\`\`\`sh
${template === 'static' ? '' : 'npm install\n'}npm start
\`\`\`

Then open <http://localhost:${port}/>. The service must be running at <${publicUrl}>.

| File | |
| --- | --- |
| \`project.yaml\` | the project: allowed origins, limits, experiences; \`npx session-launch apply project.yaml\` after a change |
| \`.env\` | the address of the service, and a test key; do not commit it |
| \`${template === 'static' ? 'public/' : 'src/server.js'}\` | ${template === 'static' ? 'the page' : 'the server: replace the cookie in `authorize` with your own sign-in'} |
`;
}
