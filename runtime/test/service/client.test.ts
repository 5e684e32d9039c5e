import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { serviceClient } from '../../src/service/client.ts';

test.each([200, 502])(
  'a response with status %i that is no JSON is an error that does not quote it',
  async (status) => {
    const server = createServer((_, response) => response.writeHead(status).end('planted words')).listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = serviceClient(`http://127.0.0.1:${port}`, 'token', 'rt_test');
    await expect(client.callTool('ses_a', 'look', {})).rejects.toMatchObject({
      message: `the service answered ${status} without JSON`,
    });
    server.close();
    server.closeAllConnections();
  },
);
