import { expect, test } from 'vitest';
import { useService } from '../harness/service.ts';
import { createWorld, mintFromBrowser, mintFromServer } from '../harness/world.ts';

const service = useService();

test('mints from a server and from a browser', async () => {
  const world = await createWorld(service);
  const server = await mintFromServer(service, world.key, { experienceId: world.experienceId });
  expect(server.status, server.text).toBe(201);
  const browser = await mintFromBrowser(
    service,
    { experienceId: world.experienceId },
    { 'Idempotency-Key': 'a' },
  );
  expect(browser.status, browser.text).toBe(201);
  const again = await mintFromBrowser(
    service,
    { experienceId: world.experienceId },
    { 'Idempotency-Key': 'a' },
  );
  expect(again.text).toBe(browser.text);
  expect(again.headers['idempotent-replayed']).toBe('true');
});
