import './overview.css';
import { useSignal } from '@preact/signals';
import type { Overview as OverviewData } from '@session-launch/contract/admin/overview';
import { request } from '../../api/client.ts';
import { Chart } from '../../parts/chart.tsx';
import { Select } from '../../parts/field.tsx';
import { Badge, Show } from '../../parts/notice.tsx';
import { Screen } from '../../parts/screen.tsx';
import { useLoad } from '../../state/load.ts';
import { hashOf } from '../../state/route.ts';
import type { ProjectScreen } from '../../state/screen.ts';
import { texts } from '../../texts/texts.ts';
import { Refusals } from './refusals.tsx';

type Window = keyof typeof texts.overview.windows;

export const overviewScreen: ProjectScreen = {
  address: 'overview',
  title: texts.overview.title,
  component: Overview,
};

/** What happens in a project: figures, refusals with what helps, and the first steps. */
function Overview({ projectId }: { projectId: string }) {
  const window = useSignal<Window>('24h');
  const loaded = useLoad(
    [projectId, window.value],
    (signal) =>
      request('GET /admin/projects/{projectId}/overview', {
        params: { projectId },
        query: { window: window.value },
        signal,
      }),
    ['tally'],
  );
  return (
    <Screen
      title={texts.overview.title}
      actions={
        <Select
          label={texts.overview.window}
          isLabelHidden
          value={window.value}
          options={Object.entries(texts.overview.windows).map(([value, label]) => ({ value, label }))}
          onChange={(value) => {
            window.value = value as Window;
          }}
        />
      }
    >
      <Show loaded={loaded}>
        {(data) => (
          <>
            {data.steps.every(({ done }) => done) ? null : <Steps projectId={projectId} steps={data.steps} />}
            <Figures data={data} />
            <section class="panel">
              <h2>{texts.overview.chart}</h2>
              <Chart points={data.points} />
            </section>
            <section class="stack" aria-labelledby="refusals">
              <h2 id="refusals">{texts.overview.refusals}</h2>
              <Refusals projectId={projectId} refusals={data.refusals} onChanged={loaded.reload} />
            </section>
          </>
        )}
      </Show>
    </Screen>
  );
}

function Figures({ data }: { data: OverviewData }) {
  const { mints, replays, refused, active, quota, latency } = data;
  const number = (value: number) => value.toLocaleString('en');
  return (
    <dl class="figures">
      <div>
        <dt>{texts.overview.mints}</dt>
        <dd>{number(mints)}</dd>
      </div>
      <div>
        <dt>{texts.overview.refused}</dt>
        <dd>{number(refused)}</dd>
      </div>
      <div>
        <dt>{texts.overview.replays}</dt>
        <dd>{number(replays)}</dd>
      </div>
      <div>
        <dt>{texts.overview.active}</dt>
        <dd>{number(active)}</dd>
      </div>
      <div>
        <dt>{texts.overview.quota}</dt>
        <dd>
          {quota === undefined ? '–' : number(quota.used)}{' '}
          <small>{quota === undefined ? texts.overview.noQuota : texts.overview.ofQuota(quota.limit)}</small>
        </dd>
      </div>
      {latency === undefined ? null : (
        <div>
          <dt>{texts.overview.latency}</dt>
          <dd>
            {texts.overview.milliseconds(latency.p50)} <small>{texts.overview.p95(latency.p95)}</small>
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Where each step is done. */
const places = {
  experience: ['experiences'],
  published: ['experiences'],
  origin: ['embeds'],
  launch: ['embeds'],
} as const;

function Steps({ projectId, steps }: { projectId: string; steps: OverviewData['steps'] }) {
  return (
    <section class="panel" aria-labelledby="set-up">
      <h2 id="set-up">{texts.overview.setUp}</h2>
      <ol class="steps">
        {steps.map(({ id, done }) => (
          <li key={id}>
            <Badge tone={done ? 'good' : ''}>{done ? texts.overview.done : texts.overview.toDo}</Badge>
            {done ? (
              <span>{texts.overview.steps[id]}</span>
            ) : (
              <a href={hashOf([projectId, ...places[id]])}>{texts.overview.steps[id]}</a>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
