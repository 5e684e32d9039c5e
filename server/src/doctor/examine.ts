import type { Config, Environment } from '../config/config.ts';
import { checkAssets } from './assets.ts';
import { checkClock } from './clock.ts';
import { checkDataFolder } from './data-folder.ts';
import { checkDatabase } from './database.ts';
import { checkEngines } from './engines.ts';
import { type Finding, findingsOf } from './finding.ts';
import { checkLivekit } from './livekit.ts';
import type { RunningService } from './running-service.ts';
import { checkSigningKeys } from './signing-keys.ts';
import { checkTools } from './tools.ts';

export interface ExamineDeps {
  config: Config;
  env: Environment;
  cwd: string;
  service: RunningService;
}

/** The checks that the command line and the admin API share. The configuration has been read without an error. */
export async function examine({ config, env, cwd, service }: ExamineDeps): Promise<Finding[]> {
  return [
    findingsOf('configuration').ok('every variable is valid'),
    await checkDataFolder(config),
    ...(await checkDatabase(config, service)),
    await checkSigningKeys(config),
    checkClock(new Date(), service),
    await checkAssets(config.assetsDir),
    ...(service.livekit === undefined ? [] : await checkLivekit(config.livekit, service.livekit)),
    ...checkTools(service),
    ...(config.runtime?.isIncluded ? await checkEngines(env, cwd) : []),
  ];
}
