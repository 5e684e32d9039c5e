import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ScaleFigures } from '../scale/figures.ts';
import { assumptions, capacityTable, modelTable, predict } from '../scale/model.ts';
import { figuresTables } from '../scale/report.ts';
import { scaleFigures as figures } from './scale-figures.ts';

const even = { ...assumptions, seconds: 100, peakFactor: 1, load: 0.5, speaking: 0.5, coresPerMachine: 4 };

describe('the scale model', () => {
  it('computes rates, concurrency and cores from the measured costs', () => {
    const one = predict(8_640_000, figures, even);
    expect(one.mintsPerSecond).toBeCloseTo(100);
    expect(one.concurrent).toBeCloseTo(10_000);
    // 100 mints and connects a second, and 2,000 reported sessions a second.
    expect(one.serviceCores).toBeCloseTo(100 * 0.001 + 2_000 * 0.000005);
    expect(one.databaseCores).toBeCloseTo(100 * 0.001 + 2_000 * 0.00002);
    expect(one.walBytesPerSecond).toBeCloseTo(100 * 5_000 + 2_000 * 100);
    expect(one.runtimeCores).toBeCloseTo(5);
    expect(one.runtimeBytes).toBeCloseTo(4e9);
    expect(one.audioBitsPerSecond).toBeCloseTo(5_000 * 26_000);
  });

  it('computes machines for the planned load, with a spare of each kind', () => {
    const small = predict(1, figures, even);
    expect([small.serviceMachines, small.databaseMachines, small.runtimeMachines]).toEqual([2, 2, 2]);
    expect(small.connections).toBe(34);
    const large = predict(8_640_000, figures, { ...even, speechPerCoreSecond: 1_000 });
    // Five cores of runtimes and five of voices, at half load on four cores.
    expect(large.runtimeMachines).toBe(5);
    expect(large.costPerDay).toBeCloseTo(9 * 4 * 24 * even.pricePerCoreHour);
    expect(large.costPerThousand).toBeCloseTo((large.costPerDay / 8_640_000) * 1000);
  });

  it('computes the size of the database from the retention period', () => {
    const one = predict(1_000_000, figures, { ...even, bloat: 1, retentionDays: 30, experiences: 10 });
    expect(one.diskBytes).toBeCloseTo(1e6 * (30 * 1_000 + 500) + 30 * 10 * 200);
  });
});

describe('docs/scale.md', () => {
  const page = new URL('../../docs/scale.md', import.meta.url);
  const measured = JSON.parse(
    readFileSync(new URL('../scale.json', import.meta.url), 'utf8'),
  ) as ScaleFigures;
  const tables = {
    figures: figuresTables(measured),
    capacity: capacityTable(measured),
    model: modelTable(measured),
  };

  it.each(Object.entries(tables))(
    'contains the table "%s" as computed from scale.json; UPDATE=1 writes it',
    (name, table) => {
      const between = new RegExp(`(?<=<!-- ${name} -->\\n\\n)[\\s\\S]*?(?=\\n\\n<!-- /${name} -->)`);
      const text = readFileSync(page, 'utf8');
      expect(text).toMatch(between);
      const current = text.replace(between, () => table);
      if (process.env.UPDATE === '1') writeFileSync(page, current);
      else expect(text).toBe(current);
    },
  );

  it('names the assumptions of the model with their values', () => {
    const text = readFileSync(page, 'utf8');
    for (const [name, value] of Object.entries(assumptions))
      expect(text).toContain(`| \`${name}\` | ${value.toLocaleString('en-US')} |`);
  });
});
