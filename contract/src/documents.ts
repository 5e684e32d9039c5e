import { adminApi } from './admin/api.ts';
import { catalogEntrySchema } from './catalog-entry.ts';
import { openApiDocument } from './document.ts';
import { sessionLaunchSchema, sessionManifestSchema } from './manifest.ts';
import { serverMintRequestSchema } from './mint-requests.ts';
import { projectFileJsonSchema } from './project-file/schema.ts';
import { publicApi } from './public-api.ts';
import { sessionSchema } from './session.ts';
import { typeDeclarations } from './type-declarations.ts';

/** The generated files of the repository, for clients, editors and code generators, by file name. */
export const documents: Readonly<Record<string, string>> = {
  'openapi.json': text(openApiDocument(publicApi)),
  'admin-openapi.json': text(openApiDocument(adminApi)),
  'project-file.schema.json': projectFileJsonSchema(),
  'sdk/backend/src/contract.ts': typeDeclarations(
    [sessionSchema, sessionManifestSchema, sessionLaunchSchema, catalogEntrySchema],
    [serverMintRequestSchema],
  ),
  'sdk/browser/src/contract.ts': typeDeclarations([sessionManifestSchema], []),
};

function text(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
