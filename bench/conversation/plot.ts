import { number } from '../report.ts';
import { median } from '../statistics.ts';
import { type Figure, isReached } from './figure.ts';

const barHeight = 18;
const gap = 12;
const top = 40;
const nameWidth = 430;
const chartWidth = 420;
const valueWidth = 120;
/** Bars are clipped at this multiple of the limit. */
const longest = 2;

/** Draws a bar for each figure, relative to its limit, and a line from the minimum to the maximum of the rounds. */
export function plotConversation(figures: readonly Figure[]): string {
  const width = nameWidth + chartWidth + valueWidth;
  const height = top + figures.length * (barHeight + gap) + 10;
  const at = (part: number) => (nameWidth + (Math.min(part, longest) / longest) * chartWidth).toFixed(1);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#2e3440">`,
    '<title>Figures of conversations, each as a part of its limit</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${nameWidth}" y="22" font-weight="600">Median of the rounds, limit = 1; the line goes from the least to the most</text>`,
    ...figures.map((figure, i) => barOf(figure, top + i * (barHeight + gap), at)),
    `<line x1="${at(1)}" y1="${top - 8}" x2="${at(1)}" y2="${height - 8}" stroke="#2e3440" stroke-dasharray="4 3"/>`,
    '</svg>',
    '',
  ].join('\n');
}

function barOf(figure: Figure, y: number, at: (part: number) => string): string {
  const { name, limit, unit, digits, rounds } = figure;
  const label = `<text x="${nameWidth - 10}" y="${y + 13}" text-anchor="end">${name}</text>`;
  const value = median(rounds);
  if (!Number.isFinite(value)) return `${label}<text x="${nameWidth}" y="${y + 13}">not measured here</text>`;
  // With a limit of 0, a single occurrence fills the bar.
  const part = (of: number) => at(Math.max(0, limit === 0 ? of * longest : of / limit));
  const middle = y + barHeight / 2;
  return [
    label,
    `<rect x="${nameWidth}" y="${y}" width="${(Number(part(value)) - nameWidth).toFixed(1)}" height="${barHeight}" rx="3" fill="${isReached(figure) ? '#3b7ea1' : '#d08770'}"/>`,
    `<line x1="${part(Math.min(...rounds))}" y1="${middle}" x2="${part(Math.max(...rounds))}" y2="${middle}" stroke="#2e3440" stroke-width="2"/>`,
    `<text x="${nameWidth + chartWidth + 10}" y="${y + 13}">${number(value, digits)} ${unit}</text>`,
  ].join('');
}
