import { lazy } from '../parts/lazy.tsx';
import { route } from '../state/route.ts';
import type { ProjectScreen, ServiceScreen } from '../state/screen.ts';
import { activityScreen } from './activity/activity.tsx';
import { embedsScreen } from './embeds/embeds.tsx';
import { experiencesScreen } from './experiences/experiences.tsx';
import { keysScreen } from './keys/keys.tsx';
import { limitsScreen } from './limits/limits.tsx';
import { overviewScreen } from './overview/overview.tsx';
import { sessionsScreen } from './sessions/sessions.tsx';
import { systemScreen } from './system/system.tsx';
import { teamScreen } from './team/team.tsx';
import { webhooksScreen } from './webhooks/webhooks.tsx';

/** The screens of a project, in the order of the navigation. */
export const projectScreens: readonly ProjectScreen[] = [
  overviewScreen,
  experiencesScreen,
  keysScreen,
  embedsScreen,
  webhooksScreen,
  sessionsScreen,
  limitsScreen,
  activityScreen,
];

const partsScreen: ServiceScreen = {
  address: 'parts',
  title: 'Parts',
  component: lazy(async () => (await import('./parts/parts-page.tsx')).PartsPage),
  isUnlisted: true,
};

/** The screens of the whole service. */
export const serviceScreens: readonly ServiceScreen[] = [teamScreen, systemScreen, partsScreen];

/** The screen that the address names, if it is one of these. */
export function currentOf<Screen extends { address: string }>(
  screens: readonly Screen[],
): Screen | undefined {
  return screens.find(({ address }) => address === route.value.screen);
}
