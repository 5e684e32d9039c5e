// Prints the section of CHANGELOG.md about the version in package.json. Run it with: node scripts/release-notes.mjs
import { readFileSync } from 'node:fs';

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const { version } = JSON.parse(read('package.json'));
const section = read('CHANGELOG.md')
  .split(/^## /m)
  .find((text) => text.startsWith(`${version} `));
if (section === undefined) throw new Error(`CHANGELOG.md has no section about ${version}`);
console.log(section.slice(section.indexOf('\n')).trim());
