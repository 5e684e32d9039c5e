import type { Template } from './templates.ts';

export interface StarterFacts {
  template: Template;
  projectId: string;
  experienceId: string;
  publicUrl: string;
  port: number;
}

export function projectFile({ projectId, experienceId, port }: StarterFacts): string {
  return `# Who may launch, and what. After a change: npx session-launch apply project.yaml
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
      # The runtime that comes with the service. With a url, one of your own.
      transport: { type: websocket }
      # What she says without a model. See docs/runtime.md of the service.
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
  return `# The key belongs to this server only: never commit it, never send it to a browser.
LAUNCH_URL=${publicUrl}
LAUNCH_KEY=${key}
LAUNCH_PROJECT=${projectId}
`;
}

export function pageSettings({ publicUrl, experienceId }: StarterFacts): string {
  return `// Where the page mints, and what.
export const launchUrl = '${publicUrl}';
export const experienceId = '${experienceId}';
`;
}

export function readme({ template, projectId, publicUrl, port }: StarterFacts): string {
  const how =
    template === 'static'
      ? 'The page mints by itself. The service admits it by its origin, which `project.yaml` lists; the key in `.env` is for trying things by hand.'
      : 'The page launches through a relay, an address of this server. The server mints with the key in `.env`, which no page ever sees.';
  return `# ${projectId}

${how}

\`\`\`sh
${template === 'static' ? '' : 'npm install\n'}npm start
\`\`\`

Then open <http://localhost:${port}/>. The service is expected at <${publicUrl}>.

| File | |
| --- | --- |
| \`project.yaml\` | the project: allowed origins, limits, experiences; \`npx session-launch apply project.yaml\` after a change |
| \`.env\` | where the service is, and a test key; not for version control |
| \`${template === 'static' ? 'public/' : 'src/server.js'}\` | ${template === 'static' ? 'the page' : 'the server: replace the cookie in `authorize` by your own sign-in'} |
`;
}
