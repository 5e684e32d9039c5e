import { setupTexts } from '../../../texts/editor/setup.ts';
import { DraftFields, useField } from '../../fields/fields.tsx';
import type { Draft } from '../../saving/draft.ts';
import { ofLivekit, ofWebsocket, transport } from './form.ts';
import { OtherKeys } from './other-keys.tsx';

const path = ['runtime', 'transport'];

/** How clients connect. */
export function Transport({ draft }: { draft: Draft }) {
  const { value: type } = useField(draft, [...path, 'type']);
  const isLivekit = type === 'livekit';
  return (
    <section class="part" aria-labelledby="setup-transport">
      <h2 id="setup-transport">{setupTexts.transport.heading}</h2>
      <div class="item-fields">
        <DraftFields draft={draft} fields={[...transport, ...(isLivekit ? ofLivekit : ofWebsocket)]} />
      </div>
      {isLivekit ? <p class="soft">{setupTexts.transport.operator}</p> : null}
      <OtherKeys draft={draft} path={path} known={['type', 'url', ...(isLivekit ? ['agentName'] : [])]} />
    </section>
  );
}
