// Part of the first load: the build writes a later sheet for the editor only.
import './webhooks.css';
import { request } from '../../api/client.ts';
import { lazy } from '../../parts/lazy.tsx';
import { hashOf } from '../../state/route.ts';
import type { ProjectScreen } from '../../state/screen.ts';
import { texts } from '../../texts/texts.ts';

export const webhooksScreen: ProjectScreen = {
  address: 'webhooks',
  title: texts.webhooks.title,
  component: lazy(async () => (await import('./webhook-list.tsx')).Webhooks),
  targets: async (projectId) => {
    const route = 'GET /admin/projects/{projectId}/webhooks';
    const { webhooks } = await request(route, { params: { projectId } });
    return webhooks.map(({ webhookId, name, url }) => ({
      title: name ?? url,
      id: webhookId,
      href: hashOf([projectId, 'webhooks', webhookId]),
    }));
  },
};
