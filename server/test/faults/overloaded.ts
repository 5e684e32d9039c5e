import type { ServiceProcess } from '@session-launch/testing/process.ts';
import type { World } from '@session-launch/testing/world.ts';
import { expect } from 'vitest';

/** Maximum number of mints that a process handles concurrently. */
export const maxInFlight = 1_024;

/** Builds mint requests of the server endpoint; every second one has a unique key. */
export function mintRequests({ key, experienceId }: World): () => string {
  const body = JSON.stringify({ experienceId });
  let n = 0;
  return () =>
    [
      'POST /v1/sessions HTTP/1.1',
      'Host: service',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      ...(n++ % 2 === 0 ? [`Idempotency-Key: ${n}`] : []),
      '',
      body,
    ].join('\r\n');
}

export interface Sample {
  queue: number;
  inFlight: number;
  turnedAway: number;
  memory: number;
}

export async function sample(service: ServiceProcess): Promise<Sample> {
  const { text } = await service.admin({ path: '/metrics' });
  const value = (name: string) => {
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    expect(line, name).toBeDefined();
    return Number(line?.slice(name.length + 1));
  };
  return {
    queue: value('session_launch_queue_length'),
    inFlight: value('session_launch_requests_under_way{part="mints"}'),
    turnedAway: value('session_launch_requests_turned_away_total{part="mints"}'),
    memory: value('process_resident_memory_bytes'),
  };
}
