import type { Metric, Registry } from 'prom-client';

export interface Sample {
  labels: Record<string, string>;
  value: number;
  /** If it differs from the name of the metric. */
  metricName?: string;
}

/** Registers a metric whose samples are read when the metrics are asked for. prom-client knows metrics by this much of their form. */
export function show(
  registry: Registry,
  type: 'counter' | 'gauge' | 'histogram',
  name: string,
  help: string,
  read: () => Sample[] | Promise<Sample[]>,
): void {
  const get = async () => ({ name, help, type, values: await read() });
  registry.registerMetric({ name, help, type, get } as unknown as Metric);
}
