import { runtimeVariables } from '@session-launch/contract/runtime/variables';

/** Variables of the service that a runtime reads as well. */
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

/** Variables that any process needs: programs, folders, language, terminal, Node's own settings, certificates and proxies. */
const ofProcess =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TEMP|TMP|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|LANG|LANGUAGE|LC_\w+|NODE_\w+|UV_\w+|SSL_CERT_\w+|(HTTP|HTTPS|ALL|NO)_PROXY|(http|https|all|no)_proxy)$/;

/**
 * The variables that are passed to a runtime. Credentials of the database and the admin API are not, so that a compromised runtime does
 * not reveal them.
 */
export function environmentOfRuntime(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = new Set([...alsoRead, ...Object.values(runtimeVariables).map(({ name }) => name)]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => passed.has(name) || ofProcess.test(name)));
}
