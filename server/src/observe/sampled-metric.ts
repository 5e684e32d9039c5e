import type { Counter, Gauge, Metric, Registry } from 'prom-client';
import type { Distribution } from './counts.ts';

interface Sample {
  labels: Record<string, string>;
  value: number;
}

interface SampledMetric {
  name: string;
  help: string;
  labelNames?: string[];
  read: () => Sample[] | Promise<Sample[]>;
}

/** Registers a metric whose values are read from their source when metrics are collected, never during a request. */
export function sample(
  registry: Registry,
  Type: typeof Counter<string> | typeof Gauge<string>,
  { name, help, labelNames = [], read }: SampledMetric,
): void {
  new Type({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect(this: Counter<string> | Gauge<string>) {
      const samples = await read();
      this.reset();
      // `reset` gives a metric without labels the value 0; without a sample it is left out.
      if (labelNames.length === 0) this.remove();
      for (const { labels, value } of samples) this.inc(labels, value);
    },
  });
}

/** The sample of a metric without labels; none if the value is unknown. */
export function plain(value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels: {}, value }];
}

interface SampledHistogram {
  name: string;
  help: string;
  read: () => { labels: Record<string, string>; distribution: Distribution }[];
}

/** The same for a histogram. A `Histogram` of prom-client takes single values only, so this implements the part that a registry uses. */
export function sampleHistogram(registry: Registry, { name, help, read }: SampledHistogram): void {
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    values: read().flatMap(({ labels, distribution }) => histogramValues(name, labels, distribution)),
  });
  registry.registerMetric({ name, help, get } as unknown as Metric);
}

function histogramValues(name: string, labels: Record<string, string>, distribution: Distribution) {
  const counts = distribution.cumulative();
  return [
    ...counts.map((value, i) => ({
      metricName: `${name}_bucket`,
      labels: { le: distribution.bounds[i] ?? '+Inf', ...labels },
      value,
    })),
    { metricName: `${name}_sum`, labels, value: distribution.sum },
    { metricName: `${name}_count`, labels, value: counts.at(-1)! },
  ];
}
