import { type RuntimeState, runtimeStates } from '@session-launch/contract/health';
import { Counter, Gauge, type Registry } from 'prom-client';
import { plain, sample } from './sampled-metric.ts';

/** The included runtime, and the upgrades that are sent to it. */
export interface RuntimeStatus {
  state: RuntimeState;
  /** What recognises speech. Absent while no runtime is ready. */
  hearing?: string | undefined;
  /** Restarts by cause. */
  restarts: Record<string, number>;
  /** Upgrades by outcome. */
  upgrades: Record<string, number>;
  /** Sockets that wait for the runtime to take them. */
  upgradesInFlight: number;
}

export function sampleRuntime(registry: Registry, status: () => RuntimeStatus): void {
  sample(registry, Gauge, {
    name: 'session_launch_runtime_state',
    help: 'State of the runtime: 1 for the current state',
    labelNames: ['state'],
    read: () =>
      runtimeStates.map((state) => ({ labels: { state }, value: status().state === state ? 1 : 0 })),
  });
  sample(registry, Counter, {
    name: 'session_launch_runtime_restarts_total',
    help: 'Runtimes that were replaced, by cause',
    labelNames: ['cause'],
    read: () => Object.entries(status().restarts).map(([cause, value]) => ({ labels: { cause }, value })),
  });
  sample(registry, Counter, {
    name: 'session_launch_upgrades_total',
    help: 'WebSocket upgrades by outcome',
    labelNames: ['outcome'],
    read: () => Object.entries(status().upgrades).map(([outcome, value]) => ({ labels: { outcome }, value })),
  });
  sample(registry, Gauge, {
    name: 'session_launch_upgrades_under_way',
    help: 'Sockets waiting to be handed over to the runtime',
    read: () => plain(status().upgradesInFlight),
  });
}
