import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startApplication } from '@session-launch/testing/application.ts';
import { clonedDatabase } from '@session-launch/testing/cloned-database.ts';
import { send } from '@session-launch/testing/http.ts';
import { launched } from '@session-launch/testing/lifecycle.ts';
import { readRuntimeMetrics } from '@session-launch/testing/metrics.ts';
import { startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { Talker } from '@session-launch/testing/talker.ts';
import { createKey } from '@session-launch/testing/world.ts';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

const folder = fileURLToPath(new URL('../../../examples/booking/', import.meta.url));

test('examples/booking: a character looks for tables and books them through a tool that verifies the calls', async () => {
  const data = await temporaryFolder();
  const database = await clonedDatabase();
  const service = await startProcess({
    ...{ DATABASE_URL: database.url, DATA_DIR: data.path, RUNTIME: 'on', WEBHOOK_ALLOW_PRIVATE: 'on' },
  });
  onTestFinished(async () => {
    await service.kill('SIGKILL');
    await database.drop();
    await data.remove();
  });
  await readRuntimeMetrics(service);
  // The secret needs the project, and the server of the tools needs the secret: a first file without the right address.
  const file = parse(await readFile(`${folder}booking.yaml`, 'utf8'));
  const apply = () => service.admin({ method: 'POST', path: '/admin/projects', body: file });
  expect((await apply()).status).toBe(200);
  const created = await service.admin({
    ...{ method: 'POST', path: '/admin/projects/prj_booking/tool-secret', body: {} },
  });
  const { url } = await startApplication(folder, ['server.js'], { TOOL_SECRET: created.json.secret });
  for (const tool of file.experiences[0].runtime.mind.tools) tool.url = `${url}/`;
  expect((await apply()).status).toBe(200);

  const { key } = await createKey(service, 'prj_booking');
  const talk = async () => {
    const { sessionToken } = await launched(service, { key, experienceId: 'exp_booking' });
    const talker = new Talker(`${service.url.replace('http', 'ws')}/runtime`, sessionToken);
    await talker.listening();
    return talker;
  };
  const nora = await talk();
  expect(await nora.ask('Is there a table tonight?')).toBe('Let me look. At 19:30 there are 3 tables free.');
  for (const number of [1, 2, 3])
    expect(await nora.ask('Book a table for two at half past seven.')).toBe(
      `One moment. Your table for 2 at 19:30 is booked. It is number ${number}.`,
    );
  const other = await talk();
  expect(await other.ask('Do you have a free table?')).toBe('Let me look. At 19:30 everything is taken.');
  const told = nora.events.flatMap(({ type, name, status }) =>
    type === 'tool' ? [`${name} ${status}`] : [],
  );
  expect(told.slice(0, 4)).toEqual([
    ...['free_tables running', 'free_tables done', 'book_table running', 'book_table done'],
  ]);

  const call = { name: 'book_table', arguments: { people: 2, time: '20:00' } };
  const unsigned = await send(url, { method: 'POST', path: '/', body: call });
  expect(unsigned.status).toBe(401);
});
