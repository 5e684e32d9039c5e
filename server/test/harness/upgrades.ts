import { execFileSync } from 'node:child_process';
import { readRuntimeMetrics } from '@session-launch/testing/metrics.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { openConnection, type RawConnection } from '@session-launch/testing/raw-http.ts';

/** The bytes of a WebSocket upgrade request. `network` selects a client network if the service trusts this machine as a proxy. */
export function upgradeRequest(network?: number): string {
  const headers = [
    'GET /runtime HTTP/1.1',
    'Host: service',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Protocol: session.v1',
  ];
  if (network !== undefined)
    headers.push(`X-Forwarded-For: 10.${network >> 16}.${(network >> 8) & 255}.${network & 255}`);
  return `${headers.join('\r\n')}\r\n\r\n`;
}

export function sendUpgrade(service: ServiceProcess, network?: number): RawConnection {
  const connection = openConnection(service.url);
  connection.socket.write(upgradeRequest(network));
  return connection;
}

/** Process ids of the runtimes of a service: the oldest is in use, the other may be its spare. */
export function runtimeProcesses(service: ServiceProcess): number[] {
  const columns = ['pid=', 'ppid=', 'etime=', 'args='].flatMap((column) => ['-o', column]);
  const all = execFileSync('ps', ['-A', ...columns]).toString();
  const ages = [...all.matchAll(/^\s*(\d+)\s+(\d+)\s+(\S+) .*--child$/gm)]
    .filter(([, , parent]) => Number(parent) === service.pid)
    .map(([, pid, , age]) => ({ pid: Number(pid), age: age!.padStart(20, '0') }));
  return ages.sort((a, b) => (a.age < b.age ? 1 : -1)).map(({ pid }) => pid);
}

/** Open descriptors of the service and the runtime; on systems that do not count descriptors, the connections of the service. */
export async function openDescriptors(
  service: ServiceProcess,
): Promise<{ service: number; runtime: number }> {
  const metrics = await readRuntimeMetrics(service);
  if (process.platform !== 'linux')
    return { service: metrics.total('session_launch_open_connections'), runtime: 0 };
  return {
    service: metrics.total('process_open_fds'),
    runtime: metrics.total('session_runtime_process_open_fds'),
  };
}
