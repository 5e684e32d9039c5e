import { adminApi } from './admin/api.ts';
import { openApiDocument } from './document.ts';
import { projectFileJsonSchema } from './project-file/schema.ts';
import { publicApi } from './public-api.ts';

/** What the repository publishes for clients, editors and code generators, by file name. */
export const documents: Readonly<Record<string, string>> = {
  'openapi.json': text(openApiDocument(publicApi)),
  'admin-openapi.json': text(openApiDocument(adminApi)),
  'project-file.schema.json': projectFileJsonSchema(),
};

function text(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
