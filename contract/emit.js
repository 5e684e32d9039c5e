// Writes the documents that clients, editors and code generators read. Run it after a change: npm run emit
import { writeFileSync } from 'node:fs';

const { documents } = await import('./dist/documents.js');
for (const [name, text] of Object.entries(documents))
  writeFileSync(new URL(`../${name}`, import.meta.url), text);
