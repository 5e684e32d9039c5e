// The program as an installed package starts it: without a look whether it is older than its sources, which
// `brought-up-to-date.ts` has done once for the whole run.
import { main } from '../../server/dist/cli/main.js';

await main();
