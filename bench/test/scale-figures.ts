import type { ScaleFigures } from '../scale/figures.ts';

/** Round figures, to compute with. */
export const scaleFigures: ScaleFigures = {
  date: '2026-11-17',
  machine: 'a machine',
  sessions: 1_000,
  mint: { serviceCpu: 250, databaseCpu: 80, walBytes: 1_500 },
  keyedMint: { serviceCpu: 300, databaseCpu: 100, walBytes: 2_000 },
  connectAndEnd: { serviceCpu: 700, databaseCpu: 900, walBytes: 3_000 },
  report: { serviceCpu: 5, databaseCpu: 20, walBytes: 100 },
  tableBytesPerSession: 400,
  indexBytesPerSession: 600,
  bytesPerClaim: 500,
  bytesPerUsageRow: 200,
  connections: 17,
  serviceBytes: 1.5e8,
  coresPerConversation: 0.001,
  bytesPerConversation: 400_000,
};
