// Starts the program as an installed package does: without checking whether the build is current. `build-if-stale.ts` checks that
// once for the whole run.
import { main } from '../../server/dist/cli/main.js';

await main();
