import { type RuntimeState, runtimeStates } from '@session-launch/contract/health';
import type { Registry } from 'prom-client';
import { show } from './sampled-metric.ts';

/** The included runtime and the upgrades sent to it. */
export interface RuntimeStatus {
  state: RuntimeState;
  /** Restarts by cause. */
  restarts: Iterable<[string, number]>;
  /** Upgrades by outcome. */
  upgrades: Iterable<[string, number]>;
  /** Sockets on their way to the runtime. */
  upgradesInFlight: number;
}

export function showRuntime(registry: Registry, status: () => RuntimeStatus): void {
  show(
    registry,
    'gauge',
    'session_launch_runtime_state',
    'State of the runtime: 1 for the current state',
    () => runtimeStates.map((state) => ({ labels: { state }, value: status().state === state ? 1 : 0 })),
  );
  show(
    registry,
    'counter',
    'session_launch_runtime_restarts_total',
    'Runtimes that were replaced, by cause',
    () => [...status().restarts].map(([cause, value]) => ({ labels: { cause }, value })),
  );
  show(registry, 'counter', 'session_launch_upgrades_total', 'WebSocket upgrades by outcome', () =>
    [...status().upgrades].map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
  show(
    registry,
    'gauge',
    'session_launch_upgrades_under_way',
    'Sockets waiting to be handed over to the runtime',
    () => [{ labels: {}, value: status().upgradesInFlight }],
  );
}
