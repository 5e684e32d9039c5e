import type { ScaleFigures } from './figures.ts';

/** What the model assumes. Change these to compute another case. */
export interface Assumptions {
  /** Average seconds of a conversation. */
  seconds: number;
  /** Rate in the busiest minute, relative to the average of the day. */
  peakFactor: number;
  /** Part of a conversation in which the character speaks. */
  speaking: number;
  /** Highest planned CPU load of a machine at the peak, from 0 to 1. */
  load: number;
  coresPerMachine: number;
  /** Price of one core for one hour, with its memory, in any currency. */
  pricePerCoreHour: number;
  /** Days until sessions are deleted. */
  retentionDays: number;
  /** Experiences that are used in a day: rows of the usage. */
  experiences: number;
  /** Free space in tables and indexes, as a factor. */
  bloat: number;
  /** Seconds of speech that the offline voice produces in one second of a core. */
  speechPerCoreSecond: number;
  /** Bits per second of a speaking character: Opus with the headers of its frames. */
  audioBits: number;
}

export const assumptions: Assumptions = {
  seconds: 300,
  peakFactor: 4,
  speaking: 0.4,
  load: 0.5,
  coresPerMachine: 4,
  pricePerCoreHour: 0.04,
  retentionDays: 90,
  experiences: 1_000,
  bloat: 1.3,
  speechPerCoreSecond: 36,
  audioBits: 26_000,
};

/** Seconds between two reports of an active session. */
const reportSeconds = 5;
const daySeconds = 86_400;
/** Days of an idempotency record. */
const claimDays = 1;

export interface Prediction {
  mintsPerSecond: number;
  concurrent: number;
  serviceCores: number;
  databaseCores: number;
  runtimeCores: number;
  speechCores: number;
  serviceMachines: number;
  databaseMachines: number;
  runtimeMachines: number;
  connections: number;
  walBytesPerSecond: number;
  runtimeBytes: number;
  diskBytes: number;
  audioBitsPerSecond: number;
  costPerDay: number;
  costPerThousand: number;
}

/** Machines and cost for a number of conversations a day. Each mint has an Idempotency-Key. */
export function predict(perDay: number, figures: ScaleFigures, a: Assumptions = assumptions): Prediction {
  const mintsPerSecond = (perDay / daySeconds) * a.peakFactor;
  const concurrent = mintsPerSecond * a.seconds;
  const { keyedMint, connectAndEnd, report } = figures;
  const perSecond = (of: 'serviceCpu' | 'databaseCpu' | 'walBytes') =>
    mintsPerSecond * (keyedMint[of] + connectAndEnd[of]) + (concurrent / reportSeconds) * report[of];
  const serviceCores = perSecond('serviceCpu') / 1e6;
  const databaseCores = perSecond('databaseCpu') / 1e6;
  const runtimeCores = concurrent * figures.coresPerConversation * a.speaking;
  const speechCores = (concurrent * a.speaking) / a.speechPerCoreSecond;
  const perMachine = a.load * a.coresPerMachine;
  // Two of each, so that one may fail. A process of the service uses one core; the database has a standby.
  const processes = Math.max(2, Math.ceil(serviceCores / a.load));
  const serviceMachines = Math.max(2, Math.ceil(processes / a.coresPerMachine));
  const databaseMachines = 2 * Math.max(1, Math.ceil(databaseCores / perMachine));
  const runtimeMachines = Math.max(2, Math.ceil((runtimeCores + speechCores) / perMachine));
  const machines = serviceMachines + databaseMachines + runtimeMachines;
  const costPerDay = machines * a.coresPerMachine * 24 * a.pricePerCoreHour;
  const sessionBytes = figures.tableBytesPerSession + figures.indexBytesPerSession;
  return {
    mintsPerSecond,
    concurrent,
    serviceCores,
    databaseCores,
    runtimeCores,
    speechCores,
    serviceMachines,
    databaseMachines,
    runtimeMachines,
    connections: processes * figures.connections,
    walBytesPerSecond: perSecond('walBytes'),
    runtimeBytes: concurrent * figures.bytesPerConversation,
    diskBytes:
      a.bloat * perDay * (a.retentionDays * sessionBytes + claimDays * figures.bytesPerClaim) +
      a.retentionDays * a.experiences * figures.bytesPerUsageRow,
    audioBitsPerSecond: concurrent * a.speaking * a.audioBits,
    costPerDay,
    costPerThousand: (costPerDay / perDay) * 1000,
  };
}

const loads = [1_000, 100_000, 10_000_000];

/** The table of docs/scale.md. */
export function modelTable(figures: ScaleFigures, a: Assumptions = assumptions): string {
  const all = loads.map((perDay) => predict(perDay, figures, a));
  const row = (name: string, of: (one: Prediction) => string) => `| ${name} | ${all.map(of).join(' | ')} |`;
  return [
    `| conversations a day | ${loads.map((perDay) => perDay.toLocaleString('en-US')).join(' | ')} |`,
    '| --- | ---: | ---: | ---: |',
    row('mints per second at the peak', (one) => short(one.mintsPerSecond)),
    row('conversations at the same time, at the peak', (one) => short(one.concurrent)),
    row('busy cores: service', (one) => short(one.serviceCores)),
    row('busy cores: database', (one) => short(one.databaseCores)),
    row('busy cores: runtimes', (one) => short(one.runtimeCores)),
    row('busy cores: offline voice', (one) => short(one.speechCores)),
    row('machines: service', (one) => short(one.serviceMachines)),
    row('machines: database, with standby', (one) => short(one.databaseMachines)),
    row('machines: runtimes with offline voice', (one) => short(one.runtimeMachines)),
    row('database connections', (one) => short(one.connections)),
    row('write-ahead log at the peak', (one) => `${bytes(one.walBytesPerSecond)}/s`),
    row('memory of conversations', (one) => bytes(one.runtimeBytes)),
    row('audio to clients at the peak', (one) => `${short(one.audioBitsPerSecond / 1e6)} Mbit/s`),
    row('database size', (one) => bytes(one.diskBytes)),
    row('cost a day', (one) => short(one.costPerDay)),
    row('cost of 1,000 conversations', (one) => short(one.costPerThousand)),
  ].join('\n');
}

/** What one unit of a resource carries, when it is busy all the time. */
export function capacityTable(figures: ScaleFigures, a: Assumptions = assumptions): string {
  const { keyedMint, connectAndEnd, report } = figures;
  const whole = (of: 'serviceCpu' | 'databaseCpu' | 'walBytes') =>
    keyedMint[of] + connectAndEnd[of] + (a.seconds / reportSeconds) * report[of];
  const row = (unit: string, amount: number, what: string) => `| ${unit} | ${short(amount)} ${what} |`;
  return [
    '| One | carries |',
    '| --- | --- |',
    row('process of the service', 1e6 / keyedMint.serviceCpu, 'mints a second'),
    row(
      'process of the service',
      1e6 / whole('serviceCpu'),
      'conversations begun a second, with all calls of their runtimes',
    ),
    row('core of the database', 1e6 / keyedMint.databaseCpu, 'mints a second'),
    row('core of the database', 1e6 / whole('databaseCpu'), 'conversations begun a second'),
    row('core of the database', (a.seconds * 1e6) / whole('databaseCpu'), 'conversations at the same time'),
    row(
      'core of runtimes',
      1 / (figures.coresPerConversation * a.speaking),
      'conversations at the same time, without the voice',
    ),
    row('core of the offline voice', a.speechPerCoreSecond / a.speaking, 'conversations at the same time'),
    row('GB of memory of runtimes', 1e9 / figures.bytesPerConversation, 'conversations at the same time'),
    row(
      'GB of disk',
      1e9 / (a.bloat * (figures.tableBytesPerSession + figures.indexBytesPerSession)),
      'stored sessions',
    ),
    row('MB/s of write-ahead log', 1e6 / whole('walBytes'), 'conversations begun a second'),
    row('100 database connections', Math.floor(100 / figures.connections), 'processes'),
  ].join('\n');
}

/** Three significant digits below 1,000, whole numbers above. */
function short(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(value >= 100 ? 3 : 2)));
}

function bytes(value: number): string {
  const unit = [1e12, 1e9, 1e6, 1e3].find((one) => value >= one) ?? 1;
  const name = { 1e12: 'TB', 1e9: 'GB', 1e6: 'MB', 1e3: 'kB' }[unit] ?? 'B';
  return `${short(value / unit)} ${name}`;
}
