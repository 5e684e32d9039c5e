import type { FastifyInstance } from 'fastify';
import { type CatalogRouteDeps, catalogRoutes } from '../catalog/catalog-routes.ts';
import { admitAtMost } from '../http/guards/admission.ts';
import { documentRoutes } from '../http/routes/document-routes.ts';
import { healthRoutes } from '../http/routes/health-routes.ts';
import { type LivekitRouteDeps, livekitRoutes } from '../livekit/livekit-routes.ts';
import { availabilityRoutes } from '../minting/availability-routes.ts';
import { type EndpointDeps, endpointRoutes } from '../minting/endpoint-routes.ts';
import type { Load } from '../observe/metrics.ts';
import { type PreviewRouteDeps, previewRoutes } from '../previews/redeem-routes.ts';
import { type LeaveDeps, leaveRoutes } from '../sessions/leave-routes.ts';
import { type SessionRouteDeps, sessionRoutes } from '../sessions/read-and-end-routes.ts';
import { jwksRoutes } from '../tokens/jwks-routes.ts';
import { type AssetDeps, assetRoutes, maxOpenFiles } from '../web/asset-routes.ts';
import { type PageDeps, pageRoutes } from '../web/pages/page-routes.ts';
import { sdkRoutes } from '../web/sdk-routes.ts';

export interface PublicDeps
  extends SessionRouteDeps,
    LeaveDeps,
    LivekitRouteDeps,
    CatalogRouteDeps,
    AssetDeps,
    PageDeps {
  endpoints: EndpointDeps;
  previews: PreviewRouteDeps;
}

/** Maximum mints in flight: four full batches of the recorder. */
const maxInFlight = 1_024;

/**
 * Registers the routes of the public listener. Mints and reads are counted separately, so that mints waiting for a slow write do not
 * block reads. Resolves to these counters.
 */
export async function mountPublicRoutes(
  server: FastifyInstance,
  deps: PublicDeps,
): Promise<Record<string, Load>> {
  const admissions: Record<string, Load> = {};
  await server.register(async (scope) => {
    admissions.mints = admitAtMost(scope, maxInFlight);
    await scope.register(endpointRoutes, deps.endpoints);
    await scope.register(previewRoutes, deps.previews);
  });
  await server.register(async (scope) => {
    admissions.reads = admitAtMost(scope, maxInFlight);
    await scope.register(sessionRoutes, deps);
    await scope.register(leaveRoutes, deps);
    await scope.register(livekitRoutes, deps);
    await scope.register(catalogRoutes, deps);
    await scope.register(availabilityRoutes, { ...deps.endpoints, database: deps.database });
  });
  await server.register(jwksRoutes, { signingKeys: deps.endpoints.signer.keys });
  await server.register(healthRoutes, deps);
  await server.register(documentRoutes);
  await server.register(async (scope) => {
    admissions.art = admitAtMost(scope, maxOpenFiles);
    await scope.register(assetRoutes, deps);
  });
  await server.register(sdkRoutes);
  await server.register(pageRoutes, deps);
  return admissions;
}
