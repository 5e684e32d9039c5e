import type { EndReason } from '@session-launch/contract/session';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { TokenKind, Usage } from '../conversation/partner.ts';
import type { TurnTimes } from '../conversation/turn-taking.ts';

const seconds = [0.01, 0.025, 0.05, 0.1, 0.15, 0.3, 0.5, 1, 2, 5, 10, 20];

const tokenLabels: [TokenKind, { direction: string; kind: string }][] = [
  ['inputText', { direction: 'input', kind: 'text' }],
  ['inputAudio', { direction: 'input', kind: 'audio' }],
  ['inputCached', { direction: 'input', kind: 'cached' }],
  ['outputText', { direction: 'output', kind: 'text' }],
  ['outputAudio', { direction: 'output', kind: 'audio' }],
];

/** Creates the Prometheus metrics. They contain no conversation text. */
export function createMetrics(sessions: () => number) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'session_runtime_' });
  new Gauge({
    name: 'session_runtime_sessions',
    help: 'Running sessions, including those waiting for their client',
    registers,
    collect() {
      this.set(sessions());
    },
  });
  const arrivals = new Counter({
    name: 'session_runtime_arrivals_total',
    help: 'Clients by outcome: ready, resumed, or the error code of a refusal',
    labelNames: ['outcome'],
    registers,
  });
  const ends = new Counter({
    name: 'session_runtime_ended_total',
    help: 'Ended sessions, by reason',
    labelNames: ['reason'],
    registers,
  });
  const turns = new Histogram({
    name: 'session_runtime_turn_seconds',
    help: 'Time from the end of the user input to the first audio, by part',
    labelNames: ['part'],
    buckets: seconds,
    registers,
  });
  const failures = new Counter({
    name: 'session_runtime_engine_failures_total',
    help: 'Failed requests to engines, by engine',
    labelNames: ['engine'],
    registers,
  });
  const tokens = new Counter({
    name: 'session_runtime_realtime_tokens_total',
    help: 'Tokens of realtime models, by direction and kind',
    labelNames: ['direction', 'kind'],
    registers,
  });
  const audio = new Counter({
    name: 'session_runtime_realtime_audio_seconds_total',
    help: 'Seconds of audio sent to realtime models and received from them',
    labelNames: ['direction'],
    registers,
  });
  const reachable = new Gauge({
    name: 'session_runtime_service_reachable',
    help: 'Whether the last report arrived: 1 or 0',
    registers,
  });
  reachable.set(1);
  return {
    registry,
    arrived: (outcome: string) => arrivals.inc({ outcome }),
    ended: (reason: EndReason) => ends.inc({ reason }),
    turn: (times: TurnTimes) => {
      for (const [part, ms] of Object.entries(times))
        turns.observe({ part: part.replace('Ms', '') }, ms / 1000);
    },
    used: (usage: Usage) => {
      if (usage.kind === 'audio') audio.inc({ direction: usage.direction }, usage.seconds);
      else for (const [token, labels] of tokenLabels) tokens.inc(labels, usage[token]);
    },
    engineFailed: (engine: string) => failures.inc({ engine }),
    reachable: (isReachable: boolean) => reachable.set(isReachable ? 1 : 0),
  };
}
