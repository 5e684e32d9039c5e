import { variables } from '../config/variables.ts';

/** Variables of the service that a runtime reads, too. */
const alsoRead = [
  'ADMIN_HOST',
  'ADMIN_PORT',
  'ADMIN_URL',
  'DATA_DIR',
  'LOG_LEVEL',
  'PUBLIC_URL',
  'RUNTIME_TOKEN',
  'SHUTDOWN_GRACE_SECONDS',
  'TRUST_PROXY',
];

/** What any process needs: programs, folders, language, terminal, Node's own settings, certificates and proxies. */
const ofProcess =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TEMP|TMP|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|LANG|LANGUAGE|LC_\w+|NODE_\w+|UV_\w+|SSL_CERT_\w+|(HTTP|HTTPS|ALL|NO)_PROXY|(http|https|all|no)_proxy)$/;

/**
 * The variables that a runtime gets. All others stay with the service: a way into the runtime leads to no key of the database, the admin
 * API or anything else in the service's environment.
 */
export function environmentOfRuntime(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = new Set<string>(alsoRead);
  for (const { name, readBy } of Object.values(variables)) if (readBy === 'runtime') passed.add(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => passed.has(name) || ofProcess.test(name)));
}
