import { thumbnailElement } from './experience-thumbnail.ts';
import { experienceElement } from './session-experience.ts';

/** Makes the two elements known. Again, or where somebody else has taken a name, it changes nothing. */
export function defineElements(): void {
  if (typeof customElements === 'undefined') return;
  const classes = {
    'session-experience': experienceElement,
    'experience-thumbnail': thumbnailElement,
  };
  for (const [name, make] of Object.entries(classes))
    if (!customElements.get(name)) customElements.define(name, make());
}
