import { ratios, type Sample, type ScenarioResult } from './rounds.ts';
import { median } from './statistics.ts';

const barHeight = 18;
const gap = 8;
const top = 40;
const nameWidth = 270;
const panelWidth = 340;
const valueWidth = 50;
const colours: Record<string, string> = {
  floor: '#9aa5b1',
  limit: '#a3be8c',
  'by hand': '#d08770',
  'LiveKit recipe': '#b48ead',
};

/** Draws two panels of horizontal bars relative to the floor (1): CPU time per request, and throughput. */
export function plot(results: readonly ScenarioResult[]): string {
  const width = nameWidth + 2 * panelWidth + 10;
  const height = top + results.length * (barHeight + gap) + 10;
  const names = results.map(
    (result, i) => `<text x="${nameWidth - 10}" y="${textY(i)}" text-anchor="end">${nameOf(result)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#2e3440">`,
    '<title>CPU time for a request and throughput of each scenario, as ratios to bare Fastify</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...names,
    ...panel(results, 'cpu', nameWidth, 'CPU time for a request, floor = 1 (less is better)'),
    ...panel(results, 'perSecond', nameWidth + panelWidth, 'Throughput, floor = 1 (more is better)'),
    '</svg>',
    '',
  ].join('\n');
}

function panel(
  results: readonly ScenarioResult[],
  figure: keyof Sample,
  left: number,
  title: string,
): string[] {
  const values = results.map((result) => median(ratios(result, results[0]!, figure)));
  const most = Math.max(1, ...values.filter(Number.isFinite));
  const scale = (panelWidth - valueWidth) / most;
  const bars = values.map((value, i) => {
    if (!Number.isFinite(value)) return `<text x="${left}" y="${textY(i)}">not measured</text>`;
    const length = (value * scale).toFixed(1);
    const end = (left + value * scale + 6).toFixed(1);
    return (
      `<rect x="${left}" y="${barY(i)}" width="${length}" height="${barHeight}" rx="3" fill="${colourOf(results[i]!)}"/>` +
      `<text x="${end}" y="${textY(i)}">${value.toFixed(2)}</text>`
    );
  });
  return [`<text x="${left}" y="22" font-weight="600">${title}</text>`, ...bars];
}

const barY = (i: number) => top + i * (barHeight + gap);
const textY = (i: number) => barY(i) + 13;

function nameOf({ contestant, scenario }: ScenarioResult): string {
  return contestant === scenario ? contestant : `${contestant}: ${scenario}`;
}

function colourOf({ contestant }: ScenarioResult): string {
  return colours[contestant] ?? (contestant.includes('embedded') ? '#5e9c76' : '#3b7ea1');
}
