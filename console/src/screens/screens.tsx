import type { FunctionComponent } from 'preact';
import { lazy } from '../parts/lazy.tsx';
import type { ProjectScreen, ServiceScreen } from '../state/route.ts';
import { Activity } from './activity/activity.tsx';
import { Embeds } from './embeds/embeds.tsx';
import { Experiences } from './experiences/experiences.tsx';
import { Keys } from './keys/keys.tsx';
import { Limits } from './limits/limits.tsx';
import { Overview } from './overview/overview.tsx';
import { Sessions } from './sessions/sessions.tsx';
import { System } from './system/system.tsx';
import { Team } from './team/team.tsx';

interface ProjectScreenProps {
  projectId: string;
  /** What follows the screen in the address. */
  rest: string[];
}

interface ServiceScreenProps {
  rest: string[];
}

/** The component of each screen. */
export const screens: Record<ProjectScreen, FunctionComponent<ProjectScreenProps>> &
  Record<ServiceScreen | 'parts', FunctionComponent<ServiceScreenProps>> = {
  overview: Overview,
  experiences: Experiences,
  keys: Keys,
  embeds: Embeds,
  sessions: Sessions,
  limits: Limits,
  activity: Activity,
  team: Team,
  system: System,
  parts: lazy(async () => (await import('./parts/parts-page.tsx')).PartsPage),
};
