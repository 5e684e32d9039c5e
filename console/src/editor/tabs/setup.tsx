import './setup/setup.css';
import { setupTexts } from '../../texts/editor/setup.ts';
import { DraftFields } from '../fields/fields.tsx';
import type { Draft } from '../saving/draft.ts';
import { Characters } from './setup/characters.tsx';
import { basics, limits, location } from './setup/form.ts';
import { OtherKeys } from './setup/other-keys.tsx';
import { Transport } from './setup/transport.tsx';

/** What the experience is: names, mode, characters, location, connection and time limits. */
export function Setup({ draft }: { draft: Draft }) {
  return (
    <div class="stack setup">
      <section class="part" aria-labelledby="setup-basics">
        <h2 id="setup-basics">{setupTexts.basics.heading}</h2>
        <div class="item-fields">
          <DraftFields draft={draft} fields={basics} />
        </div>
      </section>
      <Characters draft={draft} />
      <section class="part" aria-labelledby="setup-location">
        <h2 id="setup-location">{setupTexts.location.heading}</h2>
        <div class="item-fields">
          <DraftFields draft={draft} fields={location} />
        </div>
        <OtherKeys draft={draft} path={['runtime', 'location']} known={['locationId', 'assets']} />
      </section>
      <Transport draft={draft} />
      <section class="part" aria-labelledby="setup-limits">
        <h2 id="setup-limits">{setupTexts.limits.heading}</h2>
        <div class="item-fields">
          <DraftFields draft={draft} fields={limits} />
        </div>
      </section>
    </div>
  );
}
