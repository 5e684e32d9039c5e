import type { FastifyInstance } from 'fastify';
import { type AssetDeps, assetRoutes, mostOpenFiles } from './assets/asset-routes.ts';
import { type CatalogRouteDeps, catalogRoutes } from './experiences/catalog-routes.ts';
import { catalogEntrySchema, catalogListSchema } from './experiences/schemas.ts';
import { type Admission, admitAtMost } from './http/admission.ts';
import { healthRoutes } from './http/health-routes.ts';
import { describeRoutes, openApiRoutes } from './http/openapi.ts';
import { type PageDeps, pageRoutes } from './pages/page-routes.ts';
import { jwksRoutes } from './sessions/jwks-routes.ts';
import { browserMintBody, serverMintBody } from './sessions/mint-request.ts';
import { type MintRouteDeps, mintRoutes } from './sessions/mint-routes.ts';
import {
  jsonWebKeySetSchema,
  sessionLaunchSchema,
  sessionManifestSchema,
  sessionSchema,
} from './sessions/schemas.ts';
import { type SessionRouteDeps, sessionRoutes } from './sessions/session-routes.ts';

export interface PublicDeps extends SessionRouteDeps, CatalogRouteDeps, AssetDeps, PageDeps {
  mint: MintRouteDeps;
}

const schemas = [
  {
    ...serverMintBody,
    $id: 'ServerMintRequest',
    description: 'What a backend asks for. Fields that are not listed are ignored.',
  },
  {
    ...browserMintBody,
    $id: 'BrowserMintRequest',
    description: 'What a page asks for. Fields that are not listed are ignored, those of backends included.',
  },
  sessionLaunchSchema,
  sessionManifestSchema,
  sessionSchema,
  catalogListSchema,
  catalogEntrySchema,
  jsonWebKeySetSchema,
];

/** Four full writes of the recorder. */
const mostUnderWay = 1_024;

/**
 * Everything the public listener answers. The contract lists the routes in this order. Mints and reads are counted apart,
 * so that mints that wait for a slow write keep no reader out; resolves to these counts.
 */
export async function mountPublicRoutes(
  server: FastifyInstance,
  deps: PublicDeps,
): Promise<Record<string, Admission>> {
  const admissions: Record<string, Admission> = {};
  await describeRoutes(server, schemas);
  await server.register(async (scope) => {
    admissions.mints = admitAtMost(scope, mostUnderWay);
    await scope.register(mintRoutes, deps.mint);
  });
  await server.register(async (scope) => {
    admissions.reads = admitAtMost(scope, mostUnderWay);
    await scope.register(sessionRoutes, deps);
    await scope.register(catalogRoutes, deps);
  });
  await server.register(jwksRoutes, { signingKeys: deps.mint.signer.keys });
  await server.register(healthRoutes, deps);
  await server.register(openApiRoutes);
  await server.register(async (scope) => {
    admissions.art = admitAtMost(scope, mostOpenFiles);
    await scope.register(assetRoutes, deps);
  });
  await server.register(pageRoutes, deps);
  return admissions;
}
