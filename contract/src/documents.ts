import { adminApi } from './admin/api.ts';
import { catalogEntrySchema } from './catalog-entry.ts';
import { openApiDocument } from './document.ts';
import { errorTable, operatorCodes } from './errors.ts';
import { sessionLaunchSchema, sessionManifestSchema } from './manifest.ts';
import { serverMintRequestSchema } from './mint-requests.ts';
import { projectFileJsonSchema } from './project-file/schema.ts';
import { publicApi } from './public-api.ts';
import { pictureRigSchema, rigSchema } from './rig.ts';
import { sessionSchema } from './session.ts';
import { constantDeclarations, typeDeclarations, unionDeclaration } from './type-declarations.ts';
import { sessionClaimsSchema } from './verification.ts';
import * as wire from './wire.ts';

/** Maximum characters of a list on one line. */
const maxWidth = 120;

/** The generated files of the repository, for clients, editors and code generators, by file name. */
export const documents: Readonly<Record<string, string>> = {
  'openapi.json': text(openApiDocument(publicApi)),
  'admin-openapi.json': text(openApiDocument(adminApi)),
  'project-file.schema.json': projectFileJsonSchema(),
  'sdk/backend/src/contract.ts': source(
    typeDeclarations(
      [sessionSchema, sessionManifestSchema, sessionLaunchSchema, catalogEntrySchema, sessionClaimsSchema],
      [serverMintRequestSchema],
    ),
    constantDeclarations({ tokenAudience: wire.tokenAudience }),
  ),
  'sdk/browser/src/contract.ts': source(
    typeDeclarations([sessionManifestSchema, rigSchema, pictureRigSchema], []),
    unionDeclaration(
      'ServiceCode',
      Object.keys(errorTable).filter((code) => !operatorCodes.includes(code)),
    ),
  ),
  'sdk/browser/src/wire.ts': source(
    constantDeclarations({
      manifestVersion: wire.manifestVersion,
      subprotocol: wire.subprotocol,
      protocolVersion: wire.protocolVersion,
      maxTextCharacters: wire.bounds.textCharacters,
      audioFrame: wire.audioFrame,
      opus: { packetMs: wire.opus.packetMs, bitsPerSecond: wire.opus.bitsPerSecond },
      closeCode: wire.closeCodes,
    }),
  ),
};

function source(...declarations: string[]): string {
  return ['// Written by `npm run emit` from the contract. Do not edit.\n', ...declarations].join('\n');
}

/** JSON with short lists of texts and numbers on one line, as formatters write it. */
function text(document: object): string {
  const lines = JSON.stringify(document, null, 2);
  return `${lines.replace(/^(.*)\[\n([^[\]{}]*?)\n *\](?=,?$)/gm, (list, before: string, items: string) => {
    const line = `${before}[${items.trim().replaceAll(/,\n */g, ', ')}]`;
    return line.length > maxWidth ? list : line;
  })}\n`;
}
