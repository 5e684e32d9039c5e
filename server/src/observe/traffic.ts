import { Counter } from './counters.ts';

/** Traffic of one listener. */
export class Traffic {
  /** Requests without a complete response. */
  inFlight = () => 0;
  /** Responses by route and status. */
  readonly answers = new Map<string, Counter<number>>();

  /** Routes are counted by pattern, so that parameters in a URL add no label values. */
  answered(route: string, status: number): void {
    let counts = this.answers.get(route);
    if (counts === undefined) {
      counts = new Counter();
      this.answers.set(route, counts);
    }
    counts.add(status);
  }
}
