import { machine, number, table } from '../report.ts';
import { median } from '../statistics.ts';
import { type Figure, isReached } from './figure.ts';
import type { Extent } from './measure.ts';

export interface ConversationReport {
  date: string;
  extent: Extent;
  figures: Figure[];
}

export function conversationMarkdown({ date, extent, figures }: ConversationReport): string {
  const { rounds, turns, seconds } = extent;
  return [
    '# Conversations',
    '',
    `Measured ${date}: ${rounds} rounds, of ${turns} turns and ${seconds} s each. Machine: ${machine()}, Node.js ${process.version}.`,
    'The median of the rounds counts; least and most show how far they were apart. See [README.md](README.md#conversations).',
    '',
    '![What was measured, as a part of what is allowed](conversation.svg)',
    '',
    ...table(
      '| | Wanted | Median | Least | Most | Reached |',
      '|---|---:|---:|---:|---:|---|',
      figures.map(row),
    ),
  ].join('\n');
}

function row(figure: Figure): string[] {
  const { name, unit, limit, digits, rounds } = figure;
  const shown = (value: number) => (Number.isFinite(value) ? `${number(value, digits)} ${unit}` : '–');
  const reached = isReached(figure);
  return [
    name,
    `≤ ${limit} ${unit}`,
    shown(median(rounds)),
    shown(Math.min(...rounds)),
    shown(Math.max(...rounds)),
    reached === undefined ? 'not measured here' : reached ? 'yes' : '**no**',
  ];
}
