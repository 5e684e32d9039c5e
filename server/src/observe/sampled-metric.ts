import type { Counter, Gauge, Registry } from 'prom-client';

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
