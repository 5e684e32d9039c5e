import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BlockList } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientAddress, isListed } from '@session-launch/process/client-address';

/** Requests have stopped when none except health checks has arrived for this many milliseconds. */
const quietMs = 1_000;
/** Addresses that polled `/readyz` within this window are treated as load balancers; the drain waits for them. */
const recentMs = 30_000;
/** Number of 503 responses from `/readyz` after which a load balancer counts as informed. */
const requiredNotices = 3;

/** Loopback, private and link-local addresses, where load balancers and supervisors are. */
const local = new BlockList();
for (const [address, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const)
  local.addSubnet(address, bits, 'ipv4');
local.addAddress('::1', 'ipv6');
local.addSubnet('fc00::', 7, 'ipv6');
local.addSubnet('fe80::', 10, 'ipv6');

/**
 * The time between SIGTERM and the closed listener. Load balancers learn from `/readyz` to send no more requests; until then requests are
 * served, but each answer closes its connection.
 */
export class Drain {
  readonly #proxies: BlockList | undefined;
  #lastRequest = Number.NEGATIVE_INFINITY;
  /** Load balancers by address: when each last polled `/readyz`, and how many 503 responses of this shutdown it received. */
  readonly #balancers = new Map<string, { polledAt: number; notices: number }>();
  #begun = false;

  constructor(server: Server, proxies?: BlockList) {
    this.#proxies = proxies;
    server.prependListener('request', (request, response) => this.#onRequest(request, response));
  }

  get begun(): boolean {
    return this.#begun;
  }

  begin(): void {
    this.#begun = true;
  }

  /** Starts the drain. Resolves when requests have stopped and load balancers have seen the 503, or when the grace period ends. */
  async untilIdle(graceMs: number): Promise<void> {
    this.begin();
    const deadline = performance.now() + graceMs;
    const begun = performance.now();
    const balancers = [...this.#balancers.values()].filter(({ polledAt }) => begun - polledAt < recentMs);
    while (performance.now() < deadline) {
      const isQuiet = performance.now() - this.#lastRequest >= quietMs;
      if (isQuiet && balancers.every(({ notices }) => notices >= requiredNotices)) return;
      await sleep(50);
    }
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    if (this.#begun) response.shouldKeepAlive = false;
    const { url = '' } = request;
    if (url.startsWith('/readyz')) this.#onCheck(request);
    else if (!url.startsWith('/healthz')) this.#lastRequest = performance.now();
  }

  #onCheck({ socket, headers }: IncomingMessage): void {
    const address = clientAddress(socket.remoteAddress, undefined);
    if (!this.#isBalancer(address, headers)) return;
    let balancer = this.#balancers.get(address);
    if (balancer === undefined) {
      // Load balancers are few; the map must not grow with other clients.
      if (this.#balancers.size >= 100) this.#balancers.clear();
      balancer = { polledAt: 0, notices: 0 };
      this.#balancers.set(address, balancer);
    }
    balancer.polledAt = performance.now();
    if (this.#begun) balancer.notices++;
  }

  /**
   * A load balancer polls directly (not forwarded) from a local address or from one in `TRUST_PROXY`. Other clients are ignored; otherwise
   * anyone who polls could extend every stop to the whole grace period.
   */
  #isBalancer(address: string, headers: IncomingMessage['headers']): boolean {
    if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false;
    return isListed(address, local) || (this.#proxies !== undefined && isListed(address, this.#proxies));
  }
}
