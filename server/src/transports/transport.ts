/** How clients reach the runtime, as a project file says it and a revision freezes it. */
export interface Transport {
  type: string;
  [field: string]: unknown;
}

/** One type of transport: what a project file may say of it, and what a manifest shows. */
export interface TransportType<T extends Transport = Transport> {
  type: T['type'];
  /** What a schema cannot see is wrong with it, by field. */
  problems(written: Record<string, unknown>): { field: string; message: string }[];
  /** With its fields in a fixed order, so that equal transports are equal as text. */
  normalise(written: T): T;
  /**
   * As a manifest shows it; `prune` takes out what a voice-only session must not have, `address` stands in for the one that a
   * creator left to the service.
   */
  render(transport: T, prune: (others: object) => object, address: string | undefined): object;
}
