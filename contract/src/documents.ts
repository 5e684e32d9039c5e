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
import type { Json } from './shared-parts.ts';
import { constantDeclarations, typeDeclarations, unionDeclaration } from './type-declarations.ts';
import { sessionClaimsSchema } from './verification.ts';
import * as wire from './wire.ts';

/** Maximum characters of a line with a whole list or object. */
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

/** JSON whose short lists and objects without lists and objects in them are on one line. */
function text(document: object): string {
  return `${formatted(document as Json, '', 0)}\n`;
}

/** `used` is the number of characters before the value on its line. */
function formatted(value: Json, indent: string, used: number): string {
  if (!isNested(value)) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? '[]' : '{}';
  const entries: [key: string, value: Json][] = isList
    ? value.map((item) => ['', item])
    : Object.entries(value).map(([key, item]) => [`${JSON.stringify(key)}: `, item]);
  if (!entries.some(([, item]) => isNested(item) && Object.keys(item).length > 0)) {
    const items = entries.map(([key, item]) => key + JSON.stringify(item)).join(', ');
    const line = isList || items === '' ? `${open}${items}${close}` : `${open} ${items} ${close}`;
    if (used + line.length <= maxWidth) return line;
  }
  const inner = `${indent}  `;
  const items = entries.map(([key, item]) => {
    const before = inner + key;
    return before + formatted(item, inner, before.length);
  });
  return `${open}\n${items.join(',\n')}\n${indent}${close}`;
}

function isNested(value: Json): value is Json[] | { [key: string]: Json } {
  return typeof value === 'object' && value !== null;
}
