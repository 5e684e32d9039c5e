import { Counter } from './counters.ts';

/** What goes on at one listener. */
export class Traffic {
  /** Requests that have no complete answer yet. */
  inFlight = () => 0;
  /** Answers by route, then by status. */
  readonly answers = new Map<string, Counter<number>>();

  /** A route is its pattern: what callers put into an address makes no new one. */
  answered(route: string, status: number): void {
    let counts = this.answers.get(route);
    if (counts === undefined) {
      counts = new Counter();
      this.answers.set(route, counts);
    }
    counts.add(status);
  }
}
