import { type Overview, type Window, windows } from '@session-launch/contract/admin/overview';
import { quotaDay } from '../limits/quota.ts';
import type { Database } from '../store/database.ts';
import { quantile } from './durations.ts';
import { type ProjectState, readExperienceStates, readProjectState } from './project-state.ts';
import { refusalOf } from './refusals.ts';
import { type Point, readDurations, readPoints, readRefusals } from './tally-rows.ts';

const maxRefusals = 50;
const dayMs = 86_400_000;

/** What happened in a project within a window that ends at `at`. `undefined` if there is no such project. */
export async function readOverview(
  database: Database,
  projectId: string,
  window: Window,
  at: Date,
): Promise<Overview | undefined> {
  const state = await readProjectState(database, projectId, quotaDay(at));
  if (state === undefined) return undefined;
  const { points: length, minutes } = windows[window];
  const last = Math.floor(at.getTime() / (minutes * 60_000));
  const from = new Date((last - length + 1) * minutes * 60_000);
  const [counted, refused, durations] = await Promise.all([
    readPoints(database, projectId, from, minutes * 60),
    readRefusals(database, projectId, from, maxRefusals),
    readDurations(database, projectId, from),
  ]);
  const ids = [...new Set(refused.map(({ experienceId }) => experienceId))];
  const experiences = await readExperienceStates(database, projectId, ids);
  const points = allPoints(counted, last, length, minutes);
  const [p50, p95] = [quantile(durations, 0.5), quantile(durations, 0.95)];
  return {
    mints: sum(points, 'mints'),
    replays: sum(points, 'replays'),
    refused: sum(points, 'refused'),
    points,
    ...(p50 === undefined || p95 === undefined ? {} : { latency: { p50, p95 } }),
    ...quotaOf(state, at),
    active: state.active,
    refusals: refused.map((count) => refusalOf(count, state, experiences.get(count.experienceId))),
    steps: [
      { id: 'experience', done: state.hasExperience },
      { id: 'published', done: state.hasPublished },
      { id: 'origin', done: state.hasOrigin },
      { id: 'launch', done: state.hasLaunched },
    ],
  };
}

/** Adds the intervals without counts. Counts of a process whose clock is ahead fall into the last one. */
function allPoints(
  counted: readonly Point[],
  last: number,
  length: number,
  minutes: number,
): Overview['points'] {
  const points = Array.from({ length }, (_, n) => ({
    at: new Date((last - length + 1 + n) * minutes * 60_000).toISOString(),
    mints: 0,
    replays: 0,
    refused: 0,
  }));
  for (const { interval, mints, replays, refused } of counted) {
    const point = points[Math.min(interval - last + length - 1, length - 1)]!;
    point.mints += mints;
    point.replays += replays;
    point.refused += refused;
  }
  return points;
}

function sum(points: Overview['points'], name: 'mints' | 'replays' | 'refused'): number {
  return points.reduce((total, point) => total + point[name], 0);
}

function quotaOf({ limits, used }: ProjectState, at: Date): Pick<Overview, 'quota'> {
  const limit = limits.sessionsPerDay;
  if (limit === null) return {};
  const tomorrow = new Date((Math.floor(at.getTime() / dayMs) + 1) * dayMs);
  return { quota: { limit, used, resetsAt: tomorrow.toISOString() } };
}
