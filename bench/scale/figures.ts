/** CPU time in microseconds and bytes of write-ahead log for one operation. */
export interface Cost {
  serviceCpu: number;
  databaseCpu: number;
  walBytes: number;
}

/** The figures that the model of docs/scale.md is based on. Written to scale.json by a run. */
export interface ScaleFigures {
  date: string;
  machine: string;
  /** Sessions that were stored when sizes were measured. */
  sessions: number;
  mint: Cost;
  /** A mint with an Idempotency-Key. */
  keyedMint: Cost;
  /** Connect and end of one session. */
  connectAndEnd: Cost;
  /** One session in a report of a runtime; each active session is reported every five seconds. */
  report: Cost;
  tableBytesPerSession: number;
  indexBytesPerSession: number;
  /** An idempotency record, with its indexes. */
  bytesPerClaim: number;
  /** A row of the usage per day and experience, with its index. */
  bytesPerUsageRow: number;
  /** Database connections of one process under load. */
  connections: number;
  /** Resident memory of one process under load. */
  serviceBytes: number;
  /** Cores of the runtime for one conversation in which the character speaks, without its engines. */
  coresPerConversation: number;
  bytesPerConversation: number;
}
