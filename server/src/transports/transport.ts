/** How clients reach the runtime, as written in a project file and frozen in a revision. */
export interface Transport {
  type: string;
  [field: string]: unknown;
}

/** One type of transport: its checks for project files and its form in a manifest. */
export interface TransportType<T extends Transport = Transport> {
  type: T['type'];
  /** Problems that the schema cannot express, by field. */
  problems(written: Record<string, unknown>): { field: string; message: string }[];
  /** Normalises the field order, so that equal transports serialise to equal text. */
  normalise(written: T): T;
  /**
   * The transport in a manifest, without the fields of `TransportAccess`. `prune` removes what a voice-only session must not contain;
   * `address` is used if the creator specified no URL.
   */
  render(transport: T, prune: (others: object) => object, address: string | undefined): object;
}
