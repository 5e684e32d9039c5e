import { expect, test } from 'vitest';
import { environmentOfRuntime } from '../../src/runtimes/environment.ts';

test('a runtime gets its own variables and those that any process needs, and no secret of the service', () => {
  const passed = {
    PATH: '/bin',
    HOME: '/home/launch',
    TMPDIR: '/tmp',
    TZ: 'UTC',
    LC_ALL: 'C',
    NODE_OPTIONS: '--max-old-space-size=200',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
    https_proxy: 'http://proxy:3128',
    NO_PROXY: 'localhost',
    ADMIN_URL: 'http://127.0.0.1:8081',
    RUNTIME_TOKEN: 'token-of-the-runtime',
    RUNTIME_MAX_SESSIONS: '10',
    TRUST_PROXY: '10.0.0.0/8',
    MIND_API_KEY: 'key-of-the-mind',
    DATA_DIR: '/data',
    LOG_LEVEL: 'info',
  };
  const kept = {
    ADMIN_TOKEN: 'token-of-the-admin',
    DATABASE_URL: 'postgres://launch:secret@db/launch',
    PGPASSWORD: 'secret',
    SIGNING_KEYS_FILE: '/keys.json',
    AWS_SECRET_ACCESS_KEY: 'secret',
    METRICS_TOKEN: 'secret',
  };
  expect(environmentOfRuntime({ ...passed, ...kept })).toEqual(passed);
});
