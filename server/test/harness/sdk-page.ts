import { createReadStream } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const place = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const sdk = [
  'session-launch.js',
  'session-launch.mjs',
  'worklet.js',
  'opus.js',
  'picture.mjs',
  'livekit.mjs',
];
const types: Record<string, string> = {
  js: 'text/javascript',
  mjs: 'text/javascript',
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  json: 'application/json',
};

export interface SdkPage {
  origin: string;
  server: Server;
  /** Additional files by path. They take precedence over those of the demo. */
  files: Map<string, string | Buffer>;
  close(): Promise<void>;
}

/** Serves a page that loads the SDK, the files of the SDK, and the assets of the demo, without a service. */
export async function startSdkPage(): Promise<SdkPage> {
  const files = new Map<string, string | Buffer>();
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '');
    response.setHeader('Content-Type', types[path.split('.').at(-1)!] ?? 'text/html');
    if (path === '/')
      return response.end(
        `<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:,">
<script src="/sdk/v2/session-launch.js"></script><div id="stage"></div>`,
      );
    if (request.method === 'POST') return response.writeHead(204).end();
    const file = files.get(path);
    if (file !== undefined) return response.end(file);
    const name = path.replace(/^\/sdk\/v2\//, '');
    const source = sdk.includes(name) ? `sdk/browser/dist/${name}` : `examples/assets${path}`;
    createReadStream(place(source))
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    files,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A launch manifest that was not minted by a service. */
export function handMade(origin: string, avatars: string[], transport: object): object {
  return {
    schemaVersion: 1,
    sessionId: 'ses_1',
    sessionToken: 'token',
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    livemode: true,
    experience: { experienceId: 'exp_1', slug: 'one', title: 'One', revision: 1 },
    mode: 'conversation',
    speechInputMode: 'off',
    speechOnly: false,
    locale: 'en',
    capabilities: ['speech-output', 'avatar'],
    characters: avatars.map((avatarId) => ({ characterId: avatarId, name: avatarId, avatar: { avatarId } })),
    transport,
    limits: { maxSeconds: 900, idleSeconds: 120 },
    links: { leave: `${origin}/v1/sessions/ses_1/leave` },
    player: {},
  };
}
