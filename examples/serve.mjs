// Serves an example at an origin that is on the allowlist of the demo project: node examples/serve.mjs plain|react
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const name = process.argv[2] ?? 'plain';
const service = process.env.SERVICE_URL ?? 'http://127.0.0.1:8080';
const port = Number(process.env.PORT ?? 5173);
const folder = new URL(`${name}/`, import.meta.url);

/** Returns the HTML page, with the address of the service filled in. */
async function page() {
  const text = await readFile(new URL('index.html', folder), 'utf8');
  return text.replaceAll('SERVICE_URL', service);
}

async function bundle() {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('main.tsx', folder))],
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    write: false,
    // Ignore this repository's tsconfig, so that imports resolve to the built packages, as in an application.
    tsconfigRaw: '{}',
    define: {
      SERVICE_URL: JSON.stringify(service),
      EXPERIENCE_ID: '"exp_harbor_guide"',
      'process.env.NODE_ENV': '"development"',
    },
  });
  return outputFiles[0].text;
}

const server = createServer(async (request, response) => {
  const isScript = request.url === '/main.js';
  try {
    const text = isScript ? await bundle() : await page();
    response
      .writeHead(200, { 'Content-Type': `text/${isScript ? 'javascript' : 'html'}; charset=utf-8` })
      .end(text);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(port, 'localhost', () => {
  process.stdout.write(
    `The ${name} example is at http://localhost:${server.address().port}, and talks to ${service}\n`,
  );
});
