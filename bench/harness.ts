// The one place that knows where the harness of the tests lives.
export { Client } from '../server/test/faults/open-loop.ts';
export { type Answer, type Call, send } from '../server/test/harness/http.ts';
export { parseMetrics } from '../server/test/harness/metrics.ts';
export { onDatabase, startPostgres } from '../server/test/harness/postgres-server.ts';
