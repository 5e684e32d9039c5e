#!/usr/bin/env node
// Implements the options of curl that the quick start uses, for machines without curl.
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    output: { type: 'string', short: 'o' },
    'write-out': { type: 'string', short: 'w' },
    'dump-header': { type: 'string', short: 'D' },
    retry: { type: 'string', default: '0' },
    'retry-connrefused': { type: 'boolean' },
  },
});

async function fetchWithRetries(left) {
  try {
    return await fetch(positionals[0], {
      method: values.request ?? (values.data === undefined ? 'GET' : 'POST'),
      headers: values.header.map((line) => line.split(/:\s*/, 2)),
      ...(values.data === undefined ? {} : { body: values.data }),
    });
  } catch (error) {
    if (left === 0) throw error;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return fetchWithRetries(left - 1);
  }
}

const response = await fetchWithRetries(Number(values.retry));
const body = await response.text();
if (values['dump-header'] !== undefined) {
  const head = [
    `HTTP/1.1 ${response.status}`,
    ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
  ];
  const text = `${head.join('\r\n')}\r\n\r\n`;
  if (values['dump-header'] === '-') process.stdout.write(text);
  else await writeFile(values['dump-header'], text);
}
if (values.output === undefined) process.stdout.write(body);
else if (values.output !== '/dev/null') await writeFile(values.output, body);
if (values['write-out'] !== undefined) {
  process.stdout.write(
    values['write-out'].replaceAll('%{http_code}', String(response.status)).replaceAll('\\n', '\n'),
  );
}
