import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { sizes } from './message-sizes.ts';
import { pipelining } from './pipelining.ts';
import { smuggling } from './request-smuggling.ts';
import { useTestedService } from './victim.ts';

const assets = mkdtempSync(join(tmpdir(), 'session-launch-assets-'));
const model = randomBytes(8_000_000);
for (const folder of ['avatars', 'locations']) mkdirSync(join(assets, folder));
writeFileSync(join(assets, 'avatars', 'model.glb'), model);
afterAll(() => rmSync(assets, { recursive: true }));

// One service for all tests with malformed input.
const tested = useTestedService({ env: { ASSETS_DIR: assets } });

smuggling(tested);
sizes(tested);
pipelining(tested, model);
