import type { BlockList } from 'node:net';
import { mintOperations } from '@session-launch/contract/minting';
import type { FastifyInstance } from 'fastify';
import { readJsonBody } from '../http/bodies/json-body.ts';
import { leaveBodiesUnread } from '../http/bodies/unread-body.ts';
import { toApiError } from '../http/listener/error-handler.ts';
import { refuseOtherMethods } from '../http/listener/server.ts';
import { Client } from '../limits/client-address.ts';
import { mintPreview, type PreviewMintDeps } from './preview-mint.ts';

export interface PreviewRouteDeps extends PreviewMintDeps {
  minted: (endpoint: 'preview', outcome: string, seconds: number) => void;
  trustProxy: BlockList | undefined;
}

const { path } = mintOperations.preview;

/** The route by which the preview page gets a launch. It sends no CORS headers: the page has the same origin. */
export async function previewRoutes(app: FastifyInstance, deps: PreviewRouteDeps): Promise<void> {
  leaveBodiesUnread(app);
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store, private');
  });
  app.post(path, async ({ raw }, reply) => {
    const started = performance.now();
    const minted = (outcome: string) => deps.minted('preview', outcome, (performance.now() - started) / 1000);
    try {
      const body = await mintPreview(deps, {
        body: await readJsonBody(raw),
        origin: raw.headers.origin,
        acceptLanguage: raw.headers['accept-language'],
        client: new Client(raw, deps.trustProxy),
      });
      minted('launched');
      reply.code(201).type('application/json; charset=utf-8');
      return body;
    } catch (error) {
      minted(toApiError(error as Error).code);
      throw error;
    }
  });
  refuseOtherMethods(app, path, ['POST']);
}
