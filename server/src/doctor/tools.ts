import { type Finding, findingsOf } from './finding.ts';
import type { RunningService } from './running-service.ts';

export const checkOfTools = 'tools';
const { ok, warn } = findingsOf(checkOfTools);
/** Maximum projects that the finding names. */
const named = 5;

/** Whether calls of tools are signed. Outside the service there is no finding. */
export function checkTools({ unsignedTools }: RunningService): Finding[] {
  if (unsignedTools === undefined) return [];
  const [first] = unsignedTools;
  if (first === undefined) return [ok('calls of tools are signed')];
  const ids = unsignedTools.slice(0, named).map(({ projectId }) => projectId);
  const more = unsignedTools.length > named ? ', …' : '';
  return [
    warn(
      `calls of tools are not signed in ${ids.join(', ')}${more}, so that tools cannot tell who calls them`,
      `create a secret with session-launch tools secret ${first.projectId}, and verify it in the tool`,
    ),
  ];
}
