import { adminApi } from '@session-launch/contract/admin/api';
import { openApiDocument } from '@session-launch/contract/document';
import { expect, onTestFinished, test } from 'vitest';
import { useService } from '../harness/service.ts';

const service = useService();

test('the OpenAPI document of the admin API is built once', async () => {
  const read = () => service.admin({ path: '/admin/openapi.json' });
  const first = await read();
  expect(first.status).toBe(200);
  expect(first.json.openapi).toBe('3.1.0');
  expect(first.headers['content-type']).toBe('application/json; charset=utf-8');

  const { info } = adminApi;
  onTestFinished(() => {
    adminApi.info = info;
  });
  adminApi.info = { ...info, title: 'Another title' };
  expect(JSON.stringify(openApiDocument(adminApi))).not.toBe(first.text);
  expect((await read()).text).toBe(first.text);
});
