/** Traffic of one listener. */
export class Traffic {
  /** Requests without a complete response. */
  inFlight = () => 0;
  /** Number of responses by route and status. A labelled counter of prom-client would cost ten times as much per response. */
  readonly answers = new Map<string, Map<number, number>>();

  /** Routes are counted by pattern, so that parameters in a URL add no label values. */
  answered(route: string, status: number): void {
    let counts = this.answers.get(route);
    if (counts === undefined) {
      counts = new Map();
      this.answers.set(route, counts);
    }
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
}
