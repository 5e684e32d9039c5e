import { Counts } from './counts.ts';

/** Traffic of one listener. */
export class Traffic {
  /** Requests without a complete response. */
  inFlight = () => 0;
  /** Number of responses by route and status. */
  readonly answers = new Map<string, Counts<number>>();

  /** Routes are counted by pattern, so that parameters in a URL add no label values. */
  answered(route: string, status: number): void {
    let counts = this.answers.get(route);
    if (counts === undefined) {
      counts = new Counts();
      this.answers.set(route, counts);
    }
    counts.add(status);
  }
}
