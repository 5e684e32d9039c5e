import { until } from './fleet.ts';
import type { Answer, Call } from './http.ts';

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** The parsed response of `/metrics`. */
export interface Exposition {
  /** Metric types by metric name. */
  types: Map<string, string>;
  samples: Sample[];
  /** The sum of all samples with this name and these labels; 0 if there are none. */
  total(name: string, labels?: Record<string, string>): number;
}

export async function readMetrics(service: { admin(call: Call): Promise<Answer> }): Promise<Exposition> {
  const answer = await service.admin({ path: '/metrics' });
  if (answer.status !== 200) throw new Error(`/metrics: ${answer.status} ${answer.text}`);
  return parseMetrics(answer.text);
}

/** Reads `/metrics` until those of the runtime are included: they are missing until it is ready, and while it responds slowly. */
export function readRuntimeMetrics(service: { admin(call: Call): Promise<Answer> }): Promise<Exposition> {
  return until('the metrics of the runtime', async () => {
    const metrics = await readMetrics(service);
    return metrics.types.has('session_runtime_sessions') && metrics;
  });
}

/** Parses the subset of the Prometheus text format that the service uses. Throws on any other line. */
export function parseMetrics(text: string): Exposition {
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const [, typed, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (typed !== undefined && type !== undefined) types.set(typed, type);
    if (line === '' || line.startsWith('# ')) continue;
    const [, name, labels, value] = /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`not a line of metrics: ${line}`);
    samples.push({ name, labels: labelsOf(labels ?? ''), value: Number(value.replace('Inf', 'Infinity')) });
  }
  return {
    types,
    samples,
    total: (name, labels = {}) =>
      samples
        .filter((sample) => sample.name === name && has(sample, labels))
        .reduce((sum, sample) => sum + sample.value, 0),
  };
}

function labelsOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return Object.fromEntries(pairs.map(([, name, value]) => [name, value]));
}

function has(sample: Sample, labels: Record<string, string>): boolean {
  return Object.entries(labels).every(([name, value]) => sample.labels[name] === value);
}
