import type { LiveExperience } from '../core/experience.ts';
import type { Player, PlayerOptions } from '../types.ts';
import { PlayerView } from './player.ts';

const players = new WeakMap<LiveExperience, PlayerView>();

/** Adds the player to the target. An experience has one player: a second call moves it. */
export function attach(
  experience: LiveExperience,
  target: Element | string,
  options: PlayerOptions = {},
): Player {
  const place = typeof target === 'string' ? document.querySelector(target) : target;
  if (!place) throw new TypeError(`there is no element "${target}" to attach to`);
  let player = players.get(experience);
  if (player && !player.isDetached) player.update(options);
  else {
    player = new PlayerView(experience, options);
    players.set(experience, player);
  }
  if (player.element.parentNode !== place) place.append(player.element);
  return player;
}
