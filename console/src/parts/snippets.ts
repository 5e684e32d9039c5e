import type { texts } from '../texts.ts';

export type Way = keyof typeof texts.embeds.ways;

interface Facts {
  publicUrl: string;
  experienceId: string;
  /** How a page starts the experience. Default: as one of the project. */
  door?: 'browser' | 'public';
}

/** The code for each way to start an experience. */
export const snippets: Record<Way, (facts: Facts) => string> = {
  script: ({ publicUrl, experienceId, door }) =>
    [
      `<script src="${publicUrl}/sdk/v2/session-launch.js"></script>`,
      `<session-experience experience-id="${experienceId}"${door === 'public' ? ' door="public"' : ''}></session-experience>`,
    ].join('\n'),
  react: ({ publicUrl, experienceId }) =>
    [
      "import { ExperiencePlayer } from '@session-launch/react';",
      '',
      `<ExperiencePlayer experienceId="${experienceId}" baseUrl="${publicUrl}" />;`,
    ].join('\n'),
  relay: ({ publicUrl, experienceId }) =>
    [
      '// On your server, with the key in the variable LAUNCH_KEY:',
      "import { createRelay, SessionLaunch, toExpress } from '@session-launch/backend';",
      '',
      `const client = new SessionLaunch({ baseUrl: '${publicUrl}', apiKey: process.env.LAUNCH_KEY });`,
      'const relay = createRelay(client, { authorize: (request) => userOf(request) });',
      "app.all('/api/launch', toExpress(relay.mint));",
      '',
      '<!-- On your page: -->',
      `<script src="${publicUrl}/sdk/v2/session-launch.js"></script>`,
      `<session-experience experience-id="${experienceId}" relay-url="/api/launch"></session-experience>`,
    ].join('\n'),
  curl: ({ publicUrl, experienceId }) =>
    [
      `curl -X POST ${publicUrl}/v1/sessions \\`,
      '  -H "Authorization: Bearer $LAUNCH_KEY" \\',
      '  -H "Content-Type: application/json" \\',
      `  -d '{"experienceId":"${experienceId}"}'`,
    ].join('\n'),
};
