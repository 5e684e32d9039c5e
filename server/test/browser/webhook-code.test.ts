import { findProgram, isSkipped } from '@session-launch/testing/programs.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { useService } from '../harness/service.ts';
import { startShownReceiver } from '../harness/webhook-programs.ts';
import { createWebhook } from '../harness/webhook-receiver.ts';

const service = useService();
const isMissing = { node: false, python: isSkipped('python3'), go: findProgram('go') === undefined };
if (isMissing.go) console.info('The Go code that verifies webhooks was not run: go is not installed.');

describe.each(['node', 'python', 'go'] as const)('the shown %s code', (language) => {
  test.skipIf(isMissing[language])(
    'accepts requests that are signed, new and unchanged, also while two secrets sign',
    async () => {
      const { projectId } = await createWorld(service);
      const webhook = await createWebhook(service, projectId, { url: 'http://127.0.0.1:1/' });
      const shown = await startShownReceiver(language, webhook.secret);
      await webhook.patch({ url: shown.url });
      const tested = async () => (await webhook.post('/test')).json;
      expect(await tested()).toMatchObject({ delivered: true, status: 204 });
      await expect.poll(shown.output).toMatch(/^evt_\w+ webhook\.test\r?\n$/);
      await webhook.post('/secret', { graceSeconds: 3_600 });
      expect(await tested()).toMatchObject({ delivered: true, status: 204 });
      await webhook.post('/secret', { graceSeconds: 0 });
      expect(await tested()).toMatchObject({ delivered: false, status: 400 });

      const body = '{"type":"webhook.test","timestamp":"2026-03-01T00:00:00Z","data":{}}';
      const signed = (ageSeconds: number) => {
        const at = new Date(Date.now() - ageSeconds * 1_000);
        return {
          'webhook-id': 'evt_1',
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          'webhook-signature': new Webhook(webhook.secret).sign('evt_1', at, body),
        };
      };
      const statusOf = async (headers: Record<string, string>, text = body) =>
        (await fetch(shown.url, { method: 'POST', headers, body: text })).status;
      expect(await statusOf(signed(0))).toBe(204);
      expect(await statusOf(signed(600))).toBe(400);
      expect(await statusOf(signed(-600))).toBe(400);
      expect(await statusOf(signed(0), body.replace('test', 'fake'))).toBe(400);
      expect(await statusOf({ ...signed(0), 'webhook-id': 'evt_2' })).toBe(400);
      expect(await statusOf({})).toBe(400);
    },
  );
});
