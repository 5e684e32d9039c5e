import { texts } from '../texts/texts.ts';
import { Table } from './table.tsx';

export interface Point {
  at: string;
  mints: number;
  refused: number;
}

const width = 720;
const height = 160;

/** Bars of created and refused sessions, one over the other. The same figures are in a table below. */
export function Chart({ points }: { points: readonly Point[] }) {
  if (points.every(({ mints, refused }) => mints + refused === 0))
    return <p class="soft">{texts.overview.nothing}</p>;
  const most = Math.max(1, ...points.map(({ mints, refused }) => mints + refused));
  const step = width / Math.max(1, points.length);
  const scale = (count: number) => (count / most) * (height - 10);
  return (
    <figure class="chart-frame">
      <p class="scale" aria-hidden="true">
        {texts.overview.most(most)}
      </p>
      <svg
        class="chart"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={texts.overview.chart}
      >
        <defs>
          <pattern
            id="refused"
            width="4"
            height="4"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <line class="pattern" x1="0" y1="0" x2="0" y2="4" stroke-width="1.5" />
          </pattern>
        </defs>
        <line class="axis" x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} />
        {points.map(({ at, mints, refused }, i) => (
          <g key={at}>
            <rect
              class="mints"
              x={i * step + 1}
              width={Math.max(1, step - 2)}
              y={height - scale(mints)}
              height={scale(mints)}
            />
            <rect
              class="refused"
              x={i * step + 1}
              width={Math.max(1, step - 2)}
              y={height - scale(mints) - scale(refused)}
              height={scale(refused)}
            />
          </g>
        ))}
        <line class="grid" x1="0" x2={width} y1="10" y2="10" />
      </svg>
      <p class="scale spread" aria-hidden="true">
        <span>{moment(points[0])}</span>
        <span>{moment(points.at(-1))}</span>
      </p>
      <p class="legend">
        <span>{texts.overview.mints}</span>
        <span class="of-refused">{texts.overview.refused}</span>
      </p>
      <details>
        <summary>{texts.overview.showTable}</summary>
        <Table
          caption={texts.overview.chart}
          rows={points}
          keyOf={({ at }) => at}
          columns={[
            { title: texts.overview.time, isName: true, cell: ({ at }) => new Date(at).toLocaleString() },
            { title: texts.overview.mints, isNumber: true, cell: ({ mints }) => mints },
            { title: texts.overview.refused, isNumber: true, cell: ({ refused }) => refused },
          ]}
        />
      </details>
    </figure>
  );
}

const short = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

function moment(point: Point | undefined): string {
  return point === undefined ? '' : short.format(new Date(point.at));
}
