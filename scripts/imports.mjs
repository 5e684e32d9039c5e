// Checks the import graph: no cycles between files, no cycles between folders (in any workspace, at any depth), and no import of a
// workspace that is not listed below. Run it with: npm run imports
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The workspaces that each workspace may import. Tests and benchmarks may import what they test. */
const mayImport = {
  contract: [],
  // Separate from the contract, since it reads sockets and writes to file descriptors.
  process: [],
  'engine/src': ['process'],
  'server/src': ['contract', 'process', 'engine/src'],
  // Imports the session token check from the backend SDK, which third-party runtimes use as well.
  'runtime/src': ['contract', 'process', 'sdk/backend/src'],
  'sdk/browser/src': ['contract'],
  'sdk/react/src': ['sdk/browser/src'],
  // The editor checks questions with the script mind of the runtime and draws faces as players do; `forbidden` lists the files.
  'console/src': ['contract', 'runtime/src', 'sdk/browser/src'],
  'console/test': ['contract', 'console/src', 'runtime/src'],
  testing: ['contract'],
  'engine/test': ['process', 'testing', 'engine/src'],
  'server/test': [
    'contract',
    'process',
    'testing',
    'engine/src',
    'server/src',
    'sdk/backend/src',
    'sdk/browser/src',
    'console/src',
  ],
  'runtime/test': ['contract', 'process', 'testing', 'runtime/src'],
  'sdk/browser/test': ['contract', 'testing', 'sdk/browser/src'],
  // Published without the contract: `npm run emit` writes what it needs into its sources.
  'sdk/backend/src': [],
  'sdk/backend/test': ['contract', 'testing', 'sdk/backend/src'],
  bench: ['contract', 'process', 'testing', 'engine/src', 'server/src'],
};

const packages = {
  '@session-launch/contract': 'contract',
  '@session-launch/process': 'process',
  '@session-launch/engine': 'engine/src',
  '@session-launch/testing': 'testing',
  '@session-launch/browser': 'sdk/browser/src',
  '@session-launch/backend': 'sdk/backend/src',
};

function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|js|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .filter((file) => !/(^|\/)(node_modules|dist|dist\.building)\//.test(file.split(sep).join('/')))
    .map((file) => file.split(sep).join('/'));
}

/** The files and workspaces that a file imports, including type imports. */
function importsOf(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const names = [
    ...text.matchAll(/(?:^|\n)\s*(?:import|export)\s[^'"`;]*?from\s+['"]([^'"]+)['"]/g),
    ...text.matchAll(/(?:^|\n)\s*import\s+['"]([^'"]+)['"]/g),
    ...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g),
  ].map((match) => match[1]);
  return names.flatMap((name) => {
    if (name.startsWith('.')) return [join(dirname(file), name).split(sep).join('/')];
    const found = Object.keys(packages).find((pack) => name === pack || name.startsWith(`${pack}/`));
    return found === undefined ? [] : [`${packages[found]}/`];
  });
}

const workspaceOf = (path) =>
  Object.keys(mayImport)
    .filter((name) => path === name || path.startsWith(`${name}/`))
    .sort((a, b) => b.length - a.length)[0];

/** Imports that are forbidden within a workspace: files that match `from` may not import files that match `to`. */
const forbidden = [
  {
    from: /^server\/src\/(?!(store\/embedded|start\/serve|cli\/backup|doctor\/database)\.ts$)/,
    to: /^engine\//,
    why: 'the service uses the Database interface; only these files open, back up or examine the engine',
  },
  {
    from: /^server\/src\/store\//,
    to: /^server\/src\/primitives\/errors\.ts$/,
    why: 'storage has its own errors',
  },
  {
    from: /^server\/src\/(?!(http|admin|start)\/)(?!.*routes\.ts$)/,
    to: /^server\/src\/http\//,
    why: 'only routes import http/',
  },
  {
    from: /^console\/src\/(?!editor\/tabs\/mind\/question\.ts$)/,
    to: /^runtime\//,
    why: 'only the question check of the editor imports the runtime',
  },
  {
    from: /^console\/src\//,
    to: /^runtime\/(?!src\/mind\/script\/(dialogue|presenter|topics)\.ts$)/,
    why: 'the console uses only the script mind, which is pure code',
  },
  {
    from: /^console\/src\/(?!faces\/)/,
    to: /^sdk\//,
    why: 'only the dialogs of faces draw them with the browser SDK',
  },
  {
    from: /^console\/src\//,
    to: /^sdk\/browser\/(?!src\/(?:renderers\/|types\/plug-ins\.ts$))/,
    why: 'the console uses only the renderers of the browser SDK',
  },
  {
    from: /^server\/test\//,
    to: /^console\/(?!src\/faces\/drawing\/)/,
    why: 'the tests of the service check only the drawn faces, which are pure code',
  },
];

/**
 * The node of a file in the graph of folders: its innermost folder. Files directly in the source folder of a workspace are entry points, or
 * modules that all folders share, so each of them is a separate node.
 */
function folderOf(file) {
  const workspace = workspaceOf(file);
  return [workspace, `${workspace}/src`].includes(dirname(file)) ? file : dirname(file);
}

/** Returns one cycle of a graph as a path back to its start, or `undefined`. */
function circleIn(graph) {
  const done = new Set();
  const path = [];
  const visit = (node) => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next);
      if (circle !== undefined) return circle;
    }
    path.pop();
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const circle = visit(node);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

const problems = [];
const files = new Map();
/** The nodes that each node imports. */
const folders = new Map();
for (const workspace of Object.keys(mayImport)) {
  for (const file of filesBelow(workspace)) {
    const imported = importsOf(file);
    files.set(file, new Set(imported.filter((target) => !target.endsWith('/'))));
    for (const target of imported) {
      const other = workspaceOf(target);
      if (other === undefined || other === workspace || mayImport[workspace].includes(other)) continue;
      problems.push(`${file} imports ${target}, but ${workspace} may not import ${other}`);
    }
    for (const { from, to, why } of forbidden) {
      if (!from.test(file)) continue;
      for (const target of imported.filter((name) => to.test(name)))
        problems.push(`${file} imports ${target}: ${why}`);
    }
    const folder = folderOf(file);
    const neighbours = folders.get(folder) ?? new Set();
    for (const target of imported) {
      const other = folderOf(target);
      if (other !== folder) neighbours.add(other);
    }
    folders.set(folder, neighbours);
  }
}
const between = circleIn(folders);
if (between) problems.push(`these folders import each other in a circle: ${between.join(' → ')}`);
const circle = circleIn(files);
if (circle) problems.push(`these files import each other in a circle: ${circle.join(' → ')}`);

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
const count = new Set([...files.keys()].map((file) => dirname(file))).size;
console.log(`${files.size} files in ${count} folders: no circular and no forbidden imports`);
