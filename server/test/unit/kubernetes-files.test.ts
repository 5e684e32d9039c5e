import { mkdtemp, rm } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { allVariables } from '../../src/config/variables.ts';
import {
  createSecrets,
  kubernetesFiles,
  kustomization,
  type Manifest,
  manifests,
  ofKind,
  readEnvironment,
  version,
} from '../harness/deployment-files.ts';
import { readPage } from '../harness/pages.ts';

const [deployment] = ofKind('Deployment');
const pod = deployment.spec.template;
const [container] = pod.spec.containers;
const settings = readEnvironment('deploy/kubernetes/settings.env');

test('the kustomization lists every file, and sets the image of this version', () => {
  expect([...kustomization.resources, 'kustomization.yaml'].sort()).toEqual([...kubernetesFiles].sort());
  expect(kustomization.images).toEqual([
    expect.objectContaining({ name: 'session-launch', newTag: version }),
  ]);
  for (const { image } of [...pod.spec.initContainers, ...pod.spec.containers])
    expect(image).toBe('session-launch');
});

test('there is one object of each kind that a deployment needs', () => {
  const kinds = manifests.map(({ kind }) => kind);
  expect([...new Set(kinds)].sort()).toEqual(
    [
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Namespace',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ].sort(),
  );
  const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(new Set(names).size).toBe(names.length);
});

test('every selector matches the labels of the pods', () => {
  const { labels } = pod.metadata;
  const selectors = [
    deployment.spec.selector.matchLabels,
    ...pod.spec.topologySpreadConstraints.map((spread: Manifest) => spread.labelSelector.matchLabels),
    ...ofKind('Service').map(({ spec }) => spec.selector),
    ...ofKind('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels),
    ...ofKind('NetworkPolicy').map(({ spec }) => spec.podSelector.matchLabels),
  ];
  expect(selectors).toHaveLength(6);
  for (const selector of selectors) expect(labels).toEqual(selector);
  expect(ofKind('HorizontalPodAutoscaler')[0].spec.scaleTargetRef.name).toBe(deployment.metadata.name);
});

test('the ports are those of the service, and every reference to a port names one of them', () => {
  const defaultOf = (name: string) =>
    Number(allVariables.find((variable) => variable.name === name)?.default);
  expect(container.ports).toEqual([
    { name: 'public', containerPort: defaultOf('PORT') },
    { name: 'admin', containerPort: defaultOf('ADMIN_PORT') },
  ]);
  const used = [
    ...ofKind('Service').flatMap(({ spec }) => spec.ports.map((port: Manifest) => port.targetPort)),
    ...ofKind('NetworkPolicy')[0].spec.ingress.flatMap(({ ports }: Manifest) =>
      ports.map(({ port }: Manifest) => port),
    ),
    ...['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet.port),
  ];
  expect(new Set(used)).toEqual(new Set(['public', 'admin']));
});

test('no Ingress leads to the admin listener', () => {
  const services = new Map(ofKind('Service').map(({ metadata, spec }) => [metadata.name, spec.ports]));
  const paths = ofKind('Ingress').flatMap(({ spec }) =>
    spec.rules.flatMap(({ http }: Manifest) => http?.paths ?? []),
  );
  expect(paths.map(({ path }) => path)).toEqual(['/', '/runtime']);
  for (const { backend } of paths) {
    expect(backend.service.port.name).toBe('public');
    expect(services.get(backend.service.name)).toEqual([
      expect.objectContaining({ name: 'public', targetPort: 'public' }),
    ]);
  }
});

test('the probes use the health routes: restarts only for /healthz', () => {
  const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
    (probe) => container[probe].httpGet.path,
  );
  expect(paths).toEqual(['/healthz', '/healthz', '/readyz']);
  const page = readPage('docs/operations.md');
  for (const path of paths) expect(page).toContain(`\`GET ${path}\``);
});

test('a pod has time to drain, and the drain outlasts the readiness probe', () => {
  const grace = Number(settings.SHUTDOWN_GRACE_SECONDS);
  expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(grace + 15);
  const { periodSeconds, failureThreshold } = container.readinessProbe;
  expect(grace).toBeGreaterThan(periodSeconds * (failureThreshold + 1));
});

test('containers run without root, privileges or a writable root file system, and with limited memory', () => {
  expect(pod.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 });
  expect(readPage('Dockerfile')).toContain('USER 10001:10001');
  for (const { securityContext, resources } of [...pod.spec.initContainers, container]) {
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(Object.keys(resources.limits)).toEqual(['memory']);
    expect(Object.keys(resources.requests)).toEqual(['cpu', 'memory']);
  }
});

test('the init container migrates, and mounts the same volumes as the service', () => {
  const [migrate] = pod.spec.initContainers;
  expect([migrate.args, container.args]).toEqual([['migrate'], ['serve']]);
  expect(migrate.volumeMounts).toEqual(container.volumeMounts);
  expect(migrate.envFrom).toEqual(container.envFrom);
  const volumes = pod.spec.volumes.map(({ name }: Manifest) => name);
  expect(container.volumeMounts.map(({ name }: Manifest) => name)).toEqual(volumes);
});

// The openssl of macOS does not know Ed25519.
test.skipIf(platform() !== 'linux')(
  'the service accepts the settings and the generated secrets',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'session-launch-kubernetes-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { POSTGRES_PASSWORD, ...created } = await createSecrets(folder, 'db.internal');
    const files: string[] = kustomization.secretGenerator[0].files;
    expect(files.map((file) => file.replace('secrets/', '')).sort()).toEqual(Object.keys(created).sort());
    const { 'signing-keys.json': keys, ...variables } = created;
    const config = readConfig({ ...settings, ...variables }, folder);
    expect(config.database).toMatchObject({ engine: 'postgres' });
    expect(config.admin.metricsToken).toBe(variables.METRICS_TOKEN);
    const known = allVariables.map(({ name }) => name);
    expect(Object.keys({ ...settings, ...variables }).filter((name) => !known.includes(name))).toEqual([]);
    expect(keys).toContain('Ed25519');
    expect(POSTGRES_PASSWORD).toHaveLength(64);
  },
);
