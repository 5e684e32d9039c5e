import { findProgram } from './find-program.ts';

export const noNginx =
  'there is no nginx for the test of the proxy example: install the package nginx (Linux)';

export function findNginx(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return findProgram('nginx', env);
}
