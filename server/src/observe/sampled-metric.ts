import type { Metric, Registry } from 'prom-client';

export interface Sample {
  labels: Record<string, string>;
  value: number;
  /** If it differs from the name of the metric. */
  metricName?: string;
}

/** Registers a metric whose samples are read when metrics are collected. prom-client needs only this part of a metric's interface. */
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
