import { thumbnailElement } from './experience-thumbnail.ts';
import { experienceElement } from './session-experience.ts';

/** Registers the two custom elements. Skips names that are already registered, so repeated calls have no effect. */
export function defineElements(): void {
  if (typeof customElements === 'undefined') return;
  const classes = {
    'session-experience': experienceElement,
    'experience-thumbnail': thumbnailElement,
  };
  for (const [name, make] of Object.entries(classes))
    if (!customElements.get(name)) customElements.define(name, make());
}
