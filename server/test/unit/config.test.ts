import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  bracketed,
  ConfigError,
  type ConfigProblem,
  demoProjectFile,
  type Environment,
  readClientConfig,
  readConfig,
} from '../../src/config/config.ts';

const cwd = resolve('/srv/launch');
const read = (env: Environment = {}) => readConfig(env, cwd);
const readClient = (env: Environment = {}) => readClientConfig(env, cwd);
const token = 'a-token-of-sixteen-or-more';

/** The problems for which a configuration is rejected; throws if it is accepted. */
function problemsOf(env: Environment, reader: (env: Environment) => unknown = read): ConfigProblem[] {
  try {
    reader(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

const refused = (env: Environment, reader?: (env: Environment) => unknown) =>
  problemsOf(env, reader).map((problem) => problem.variable);

describe('defaults', () => {
  test('of an empty environment', () => {
    expect(read()).toEqual({
      host: '127.0.0.1',
      port: 8080,
      admin: { host: '127.0.0.1', port: 8081, tokenFile: join(cwd, 'data', 'admin-token') },
      database: { engine: 'embedded', dataDir: join(cwd, 'data') },
      databaseWaitSeconds: 30,
      dataDir: join(cwd, 'data'),
      signingKeysFile: join(cwd, 'data', 'signing-keys.json'),
      apiKeyPrefix: 'sl',
      auditRetentionDays: 400,
      tokenTtlSeconds: 600,
      runtime: { tokenFile: join(cwd, 'data', 'runtime-token'), isIncluded: true },
      maxSessions: 50,
      assetsDir: join(demoProjectFile, '..', 'assets'),
      demo: true,
      logLevel: 'info',
      shutdownGraceSeconds: 5,
      webhookAllowPrivate: false,
    });
  });

  test('of a service with an identity provider', () => {
    const env = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'b' };
    expect(read(env).oidc).toEqual({
      issuer: 'https://login.example.com',
      clientId: 'a',
      clientSecret: 'b',
      roleClaim: 'role',
    });
    expect(() => read({ OIDC_ISSUER: 'https://login.example.com' })).toThrow(
      /OIDC_CLIENT_ID is unset; it must be set, since OIDC_ISSUER is set\n.*OIDC_CLIENT_SECRET/,
    );
    expect(() => read({ ...env, OIDC_ISSUER: 'http://login.example.com' })).toThrow(/an https address/);
    expect(() => read({ ...env, OIDC_DEFAULT_ROLE: 'admin' })).toThrow(/one of viewer, creator/);
  });

  test('treat an empty variable as unset', () => {
    const names = ['HOST', 'PORT', 'ADMIN_HOST', 'ADMIN_PORT', 'ADMIN_TOKEN', 'DATABASE_URL', 'DATA_DIR'];
    const others = ['PUBLIC_URL', 'SIGNING_KEYS_FILE', 'API_KEY_PREFIX', 'TOKEN_TTL_SECONDS', 'TRUST_PROXY'];
    for (const nothing of ['', '   ']) {
      const more = ['ASSETS_DIR', 'DEMO', 'LOG_LEVEL', 'SHUTDOWN_GRACE_SECONDS', 'SESSION_RETENTION_DAYS'];
      const ofRuntimes = [
        'RUNTIME',
        'RUNTIME_TOKEN',
        'RUNTIME_URL',
        'METRICS_TOKEN',
        'DATABASE_WAIT_SECONDS',
      ];
      const env = [...names, ...others, ...more, ...ofRuntimes].map((name) => [name, nothing]);
      expect(read(Object.fromEntries(env))).toEqual(read());
    }
  });

  test('ignore space around a value', () => {
    expect(read({ PORT: ' 9090\n', LOG_LEVEL: ' warn' })).toMatchObject({ port: 9090, logLevel: 'warn' });
  });

  test('switch the demo off with PostgreSQL, unless DEMO is set', () => {
    const DATABASE_URL = 'postgres://localhost/launch';
    expect(read({ DATABASE_URL }).demo).toBe(false);
    expect(read({ DATABASE_URL, DEMO: 'on' }).demo).toBe(true);
    expect(read({ DEMO: 'off' }).demo).toBe(false);
  });

  test('place files in DATA_DIR, and resolve relative paths from the working folder', () => {
    const config = read({ DATA_DIR: 'store', ASSETS_DIR: '../art' });
    expect(config.dataDir).toBe(join(cwd, 'store'));
    expect(config.database).toEqual({ engine: 'embedded', dataDir: join(cwd, 'store') });
    expect(config.signingKeysFile).toBe(join(cwd, 'store', 'signing-keys.json'));
    expect(config.admin.tokenFile).toBe(join(cwd, 'store', 'admin-token'));
    expect(config.assetsDir).toBe(resolve('/srv/art'));
    expect(read({ SIGNING_KEYS_FILE: 'keys.json' }).signingKeysFile).toBe(join(cwd, 'keys.json'));
    expect(read({ SIGNING_KEYS_FILE: '/run/keys.json' }).signingKeysFile).toBe(resolve('/run/keys.json'));
  });
});

describe('each variable accepts', () => {
  test.each<[string, string, object]>([
    ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
    ['HOST', '::', { host: '::' }],
    ['HOST', 'localhost', { host: 'localhost' }],
    ['HOST', 'launch-1.internal.example', { host: 'launch-1.internal.example' }],
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['ADMIN_HOST', '::1', { admin: { host: '::1' } }],
    ['ADMIN_PORT', '0', { admin: { port: 0 } }],
    ['ADMIN_TOKEN', token, { admin: { token } }],
    ['ADMIN_TOKEN', '!"#$%&()*+,-./~~', { admin: { token: '!"#$%&()*+,-./~~' } }],
    ['DATABASE_URL', 'postgres://a:b@c:5432/d', { database: { url: 'postgres://a:b@c:5432/d' } }],
    ['DATABASE_URL', 'postgresql://c/d?sslmode=require', { database: { engine: 'postgres' } }],
    ['DATABASE_URL', 'postgres:///d?host=/var/run/postgresql', { database: { engine: 'postgres' } }],
    ['DATABASE_URL', 'postgres://a:p%40ss%2F@c/d', { database: { engine: 'postgres' } }],
    ['PUBLIC_URL', 'https://launch.example.com', { publicUrl: 'https://launch.example.com' }],
    ['PUBLIC_URL', 'HTTPS://Launch.Example.com:443/', { publicUrl: 'https://launch.example.com' }],
    ['PUBLIC_URL', 'http://[::1]:8080/base/', { publicUrl: 'http://[::1]:8080/base' }],
    ['API_KEY_PREFIX', 'a', { apiKeyPrefix: 'a' }],
    ['API_KEY_PREFIX', 'acme4567890123ab', { apiKeyPrefix: 'acme4567890123ab' }],
    ['TOKEN_TTL_SECONDS', '10', { tokenTtlSeconds: 10 }],
    ['TOKEN_TTL_SECONDS', '7200', { tokenTtlSeconds: 7200 }],
    ['DEMO', 'on', { demo: true }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['LOG_LEVEL', 'trace', { logLevel: 'trace' }],
    ['METRICS_TOKEN', token, { admin: { metricsToken: token } }],
    ['DATABASE_WAIT_SECONDS', '0', { databaseWaitSeconds: 0 }],
    ['DATABASE_WAIT_SECONDS', '3600', { databaseWaitSeconds: 3600 }],
    ['SHUTDOWN_GRACE_SECONDS', '0', { shutdownGraceSeconds: 0 }],
    ['SHUTDOWN_GRACE_SECONDS', '300', { shutdownGraceSeconds: 300 }],
  ])('%s=%s', (variable, value, expected) => {
    expect(read({ [variable]: value })).toMatchObject(expected);
  });
});

describe('each variable refuses', () => {
  test.each([
    ['HOST', 'http://localhost'],
    ['HOST', 'localhost:8080'],
    ['HOST', '[::1]'],
    ['HOST', 'a host'],
    ['HOST', '127.0.0.256'],
    ['HOST', '-launch'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['PORT', '1e3'],
    ['PORT', 'eighty'],
    ['ADMIN_HOST', '127.0.0.1/8'],
    ['ADMIN_PORT', '99999999999999'],
    ['ADMIN_TOKEN', 'fifteen-letters'],
    ['ADMIN_TOKEN', 'with a space in the middle'],
    ['ADMIN_TOKEN', 'nicht-ascii-schlüssel'],
    ['ADMIN_TOKEN', 'x'.repeat(513)],
    ['DATABASE_URL', 'mysql://a:b@c/d'],
    ['DATABASE_URL', 'localhost:5432/launch'],
    ['DATABASE_URL', 'postgres:launch'],
    ['DATABASE_URL', 'postgres://a:b@c:70000/d'],
    ['DATABASE_URL', 'postgres://a:p%ZZ@c/d'],
    ['DATABASE_URL', './data'],
    ['PUBLIC_URL', 'launch.example.com'],
    ['PUBLIC_URL', '/launch'],
    ['PUBLIC_URL', 'ftp://launch.example.com'],
    ['PUBLIC_URL', 'https://launch.example.com/?a=b'],
    ['PUBLIC_URL', 'https://launch.example.com/#a'],
    ['PUBLIC_URL', 'https://'],
    ['API_KEY_PREFIX', 'SL'],
    ['API_KEY_PREFIX', 'a_b'],
    ['API_KEY_PREFIX', 'a2345678901234567'],
    ['TOKEN_TTL_SECONDS', '9'],
    ['TOKEN_TTL_SECONDS', '7201'],
    ['TOKEN_TTL_SECONDS', '10m'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', 'loopback'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '::1/129'],
    ['TRUST_PROXY', '10.0.0.0/'],
    ['TRUST_PROXY', '10.0.0.0/8/8'],
    ['TRUST_PROXY', '10.0.0.1,'],
    ['TRUST_PROXY', '10.0.0.1 10.0.0.2'],
    ['DEMO', 'true'],
    ['DEMO', 'ON'],
    ['LOG_LEVEL', 'verbose'],
    ['LOG_LEVEL', 'INFO'],
    ['METRICS_TOKEN', 'fifteen-letters'],
    ['METRICS_TOKEN', 'with a space in the middle'],
    ['DATABASE_WAIT_SECONDS', '3601'],
    ['DATABASE_WAIT_SECONDS', 'never'],
    ['SHUTDOWN_GRACE_SECONDS', '301'],
    ['SHUTDOWN_GRACE_SECONDS', '-1'],
  ])('%s=%s', (variable, value) => {
    const problems = problemsOf({ [variable]: value });
    expect(problems).toEqual([{ variable, got: expect.any(String), wants: expect.any(String) }]);
    expect(problems[0]?.got).not.toBe('');
    expect(problems[0]?.wants).toMatch(/\w{2}/);
  });
});

test('all problems are in one message with the value and the expected form of each variable', () => {
  const env = {
    HOST: 'http://x',
    PORT: 'abc',
    ADMIN_HOST: 'a b',
    ADMIN_PORT: '-1',
    ADMIN_TOKEN: 'short',
    DATABASE_URL: 'mysql://x',
    PUBLIC_URL: 'x',
    API_KEY_PREFIX: '_',
    TOKEN_TTL_SECONDS: '0',
    TRUST_PROXY: 'any',
    DEMO: 'maybe',
    LOG_LEVEL: 'loud',
  };
  const problems = problemsOf(env);
  expect(new Set(problems.map((problem) => problem.variable))).toEqual(new Set(Object.keys(env)));
  const { message } = new ConfigError(problems);
  expect(message).toMatch(/^the configuration has 12 problems:\n/);
  expect(message).toContain('PORT is "abc"; it must be a whole number from 0 to 65535');
  expect(message).toContain('DEMO is "maybe"; it must be on or off');
  expect(message).toContain('LOG_LEVEL is "loud"; it must be one of fatal, error, warn, info');
  expect(new ConfigError(problems.slice(0, 1)).message).toMatch(/^the configuration has a problem:\n/);
});

test('a long value is shortened, control characters are escaped', () => {
  const [long] = problemsOf({ LOG_LEVEL: 'x'.repeat(500) });
  expect(long?.got.length).toBeLessThan(90);
  const [strange] = problemsOf({ LOG_LEVEL: 'a\u001b[31m\nb' });
  expect(strange?.got).toBe('"a\\u001b[31m\\nb"');
});

describe('secrets are masked', () => {
  test('ADMIN_TOKEN shows only its length', () => {
    const [problem] = problemsOf({ ADMIN_TOKEN: 'hunter2 hunter2 hunter2' });
    expect(problem?.got).toBe('a secret of 23 characters');
  });

  test.each([
    'mysql://someone:hunter2@db.example/launch',
    'postgres://someone:hunter2@db.example:port/launch',
    'postgres://someone:hunter2/x@db.example:port/launch',
    'postgres://someone:@hunter2@db.example:port/launch',
    'postgres://someone:hunter2#x@db.example/launch',
    'someone:hunter2@db.example/launch',
    'host=db user=someone password=hunter2 dbname=launch',
    'postgres:someone:hunter2/launch',
    'mysql://db.example/launch?password=hunter2',
    'mysql://db.example/launch?user=a&password=x@hunter2&b=c',
    'mysql://db.example/launch?SSLPASSWORD=hunter2',
    `mysql://someone:${'x'.repeat(100)}hunter2@db.example/launch`,
  ])('the password in %s', (value) => {
    for (const variable of ['DATABASE_URL', 'PUBLIC_URL']) {
      const [problem] = problemsOf({ [variable]: value });
      expect(problem?.got).not.toContain('hunter2');
      expect(problem?.got).toContain('***');
    }
    const [admin] = problemsOf({ ADMIN_URL: value }, readClient);
    expect(admin?.got).not.toContain('hunter2');
  });

  test('other parts stay readable', () => {
    const [problem] = problemsOf({ DATABASE_URL: 'mysql://someone:hunter2@db.example/launch' });
    expect(problem?.got).toBe('"mysql://***@db.example/launch"');
  });

  test('a public address with a password is refused', () => {
    const [problem] = problemsOf({ PUBLIC_URL: 'https://someone:hunter2@launch.example.com' });
    expect(problem).toMatchObject({ variable: 'PUBLIC_URL', got: '"https://***@launch.example.com"' });
  });
});

describe('TRUST_PROXY', () => {
  const proxies = read({ TRUST_PROXY: '10.0.0.0/8, 192.0.2.7,::1 ,2001:db8::/32' }).trustProxy;

  test.each([
    ['10.255.0.1', 'ipv4', true],
    ['11.0.0.1', 'ipv4', false],
    ['192.0.2.7', 'ipv4', true],
    ['192.0.2.8', 'ipv4', false],
    ['::1', 'ipv6', true],
    ['2001:db8:1::2', 'ipv6', true],
    ['2001:db9::1', 'ipv6', false],
  ] as const)('%s', (address, family, trusted) => {
    expect(proxies?.check(address, family)).toBe(trusted);
  });

  test('accepts a whole address family', () => {
    expect(read({ TRUST_PROXY: '0.0.0.0/0' }).trustProxy?.check('203.0.113.9')).toBe(true);
  });
});

describe('runtimes', () => {
  test('have their own token, and are refused without a token and a runtime', () => {
    expect(read({ RUNTIME_TOKEN: token }).runtime?.token).toBe(token);
    expect(read({ RUNTIME: 'off' }).runtime).toBeUndefined();
    expect(read({ RUNTIME: 'off', RUNTIME_TOKEN: token }).runtime?.token).toBe(token);
    expect(problemsOf({ ADMIN_TOKEN: token, RUNTIME_TOKEN: token })).toEqual([
      { variable: 'RUNTIME_TOKEN', got: 'the same as ADMIN_TOKEN', wants: expect.any(String) },
    ]);
    expect(problemsOf({ RUNTIME_TOKEN: 'too short' })).toMatchObject([{ got: 'a secret of 9 characters' }]);
  });

  test.each(['ADMIN_TOKEN', 'RUNTIME_TOKEN'])('METRICS_TOKEN must differ from %s', (other) => {
    expect(problemsOf({ METRICS_TOKEN: token, [other]: token })).toEqual([
      { variable: 'METRICS_TOKEN', got: `the same as ${other}`, wants: expect.any(String) },
    ]);
  });

  test.each(['ws://127.0.0.1:9000/', 'wss://runtime.example.com/session?zone=eu'])(
    'RUNTIME_URL may be %s',
    (url) => {
      expect(read({ RUNTIME_URL: url }).runtimeUrl).toBe(url);
    },
  );

  test.each(['https://a.example', 'runtime', 'wss://', 'wss://a:b@c.example', 'wss://a.example/#b'])(
    'RUNTIME_URL must not be %s',
    (url) => {
      expect(refused({ RUNTIME_URL: url })).toEqual(['RUNTIME_URL']);
    },
  );

  test('SESSION_RETENTION_DAYS is at least one day', () => {
    expect(read({ SESSION_RETENTION_DAYS: '30' }).sessionRetentionDays).toBe(30);
    for (const days of ['0', '-1', '1.5', '40000', 'never'])
      expect(refused({ SESSION_RETENTION_DAYS: days })).toEqual(['SESSION_RETENTION_DAYS']);
  });
});

describe('PORT and ADMIN_PORT', () => {
  test.each<[Environment]>([
    [{ PORT: '9000', ADMIN_PORT: '9000' }],
    [{ HOST: '0.0.0.0', PORT: '9000', ADMIN_PORT: '9000' }],
    [{ PORT: '9000', ADMIN_HOST: '::', ADMIN_PORT: '9000' }],
  ])('must differ: %o', (env) => {
    expect(problemsOf(env)).toEqual([
      { variable: 'ADMIN_PORT', got: '9000', wants: expect.stringContaining('PORT') },
    ]);
  });

  test('report a conflicting default as a default', () => {
    expect(problemsOf({ PORT: '8081' })).toMatchObject([{ variable: 'ADMIN_PORT', got: '8081 by default' }]);
  });

  test('report only the one that cannot be parsed', () => {
    expect(refused({ PORT: 'x', ADMIN_PORT: '8080' })).toEqual(['PORT']);
    expect(refused({ PORT: '8081', ADMIN_PORT: 'x' })).toEqual(['ADMIN_PORT']);
  });

  test('may be equal on different addresses, as 0, or without an admin listener', () => {
    expect(read({ PORT: '9000', ADMIN_PORT: '9000', ADMIN_HOST: '127.0.0.2' }).admin.port).toBe(9000);
    expect(read({ PORT: '0', ADMIN_PORT: '0' }).admin.port).toBe(0);
    const DATABASE_URL = 'postgres://localhost/launch';
    expect(read({ DATABASE_URL, PORT: '8081', RUNTIME: 'off' }).port).toBe(8081);
    expect(refused({ DATABASE_URL, PORT: '8081' })).toEqual(['ADMIN_PORT']);
    for (const opener of ['ADMIN_TOKEN', 'RUNTIME_TOKEN'])
      expect(refused({ DATABASE_URL, PORT: '8081', RUNTIME: 'off', [opener]: token })).toEqual([
        'ADMIN_PORT',
      ]);
  });
});

describe('the command line', () => {
  test('has defaults', () => {
    expect(readClient()).toEqual({
      adminUrl: 'http://127.0.0.1:8081',
      tokenFile: join(cwd, 'data', 'admin-token'),
    });
  });

  test('finds the admin API by ADMIN_URL, or at the service’s default address', () => {
    expect(readClient({ ADMIN_URL: 'https://admin.example.com/launch/' }).adminUrl).toBe(
      'https://admin.example.com/launch',
    );
    expect(readClient({ ADMIN_HOST: '::1', ADMIN_PORT: '9001' }).adminUrl).toBe('http://[::1]:9001');
    expect(readClient({ ADMIN_HOST: '0.0.0.0' }).adminUrl).toBe('http://127.0.0.1:8081');
    expect(readClient({ ADMIN_HOST: '::' }).adminUrl).toBe('http://[::1]:8081');
  });

  test('uses ADMIN_TOKEN, or the token file in DATA_DIR', () => {
    expect(readClient({ ADMIN_TOKEN: token }).token).toBe(token);
    expect(readClient({ DATA_DIR: '/var/lib/launch' }).tokenFile).toBe(
      join(resolve('/var/lib/launch'), 'admin-token'),
    );
  });

  test('reports all invalid variables together', () => {
    const env = { ADMIN_URL: 'nowhere', ADMIN_TOKEN: 'short', ADMIN_PORT: 'x', ADMIN_HOST: '/' };
    expect(new Set(refused(env, readClient))).toEqual(new Set(Object.keys(env)));
    expect(refused({ ADMIN_URL: 'http://a:b@c' }, readClient)).toEqual(['ADMIN_URL']);
    expect(refused({ ADMIN_URL: 'http://c/?d' }, readClient)).toEqual(['ADMIN_URL']);
    expect(refused({ ADMIN_PORT: '0' }, readClient)).toEqual(['ADMIN_PORT']);
  });

  test('ignores ADMIN_PORT=0 if ADMIN_URL is set', () => {
    expect(readClient({ ADMIN_PORT: '0', ADMIN_URL: 'http://127.0.0.1:4000' }).adminUrl).toBe(
      'http://127.0.0.1:4000',
    );
  });
});

test('an IPv6 address has brackets in a URL', () => {
  expect(['::1', '127.0.0.1', 'localhost'].map(bracketed)).toEqual(['[::1]', '127.0.0.1', 'localhost']);
});
