import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { setupTexts } from '../../../texts/editor/setup.ts';
import type { Path } from '../../document/path.ts';
import { DraftFields, useField } from '../../fields/fields.tsx';
import { IdField } from '../../fields/id-field.tsx';
import type { ItemKind } from '../../fields/item-kind.ts';
import { addItem, ItemList } from '../../fields/item-list.tsx';
import type { Item } from '../../fields/list-changes.ts';
import type { Draft } from '../../saving/draft.ts';
import { Appearance } from './appearance/appearance.tsx';
import { ofCharacter } from './form.ts';
import { Listen } from './listen.tsx';
import { OtherKeys } from './other-keys.tsx';

const texts = setupTexts.characters;
const path = ['runtime', 'characters'];

export function Characters({ draft }: { draft: Draft }) {
  const reveal = useSignal<string | undefined>(undefined);
  const count = (useField(draft, path).value as Item[] | undefined)?.length ?? 0;
  const kind = useMemo(() => characterKind(draft), [draft]);
  return (
    <section class="part" aria-labelledby="setup-characters">
      <div class="row spread">
        <h2 id="setup-characters">{texts.heading}</h2>
        <span class="soft number">{texts.count(count)}</span>
      </div>
      <ItemList draft={draft} path={path} kind={kind} reveal={reveal} />
      {draft.isEditable ? (
        <div>
          <Button
            onPress={() => {
              reveal.value = addItem(draft, path, kind);
            }}
          >
            {texts.add}
          </Button>
        </div>
      ) : null}
    </section>
  );
}

const characterKind = (draft: Draft): ItemKind => ({
  idField: ofCharacter.id,
  noun: texts.noun,
  openUpTo: 3,
  minItems: 1,
  create: (free) => ({
    characterId: free('character'),
    name: texts.newName,
    voice: { flite: { voice: 'slt' } },
  }),
  nameOf: ({ name }) => (typeof name === 'string' && name.trim() !== '' ? name : texts.unnamed),
  summary: (item) => <Summary item={item} />,
  fields: (at) => <CharacterFields draft={draft} path={at} />,
});

function Summary({ item }: { item: Item }) {
  const { name, voice, avatar } = item as {
    name: string;
    voice?: { flite?: { voice?: string } };
    avatar?: { avatarId?: string };
  };
  return (
    <>
      <span class="name">{name}</span>
      <span class="text">
        {voice?.flite?.voice ?? 'slt'}, {avatar?.avatarId ?? texts.noAvatar}
      </span>
    </>
  );
}

function CharacterFields({ draft, path: at }: { draft: Draft; path: Path }) {
  return (
    <>
      <div class="item-fields">
        <DraftFields draft={draft} base={at} fields={ofCharacter.name} />
        <IdField draft={draft} path={at} idField={ofCharacter.id} />
      </div>
      <fieldset class="group">
        <legend>{texts.voice}</legend>
        <div class="item-fields">
          <DraftFields draft={draft} base={at} fields={ofCharacter.voice} />
        </div>
        <Listen draft={draft} path={[...at, 'voice', 'flite']} />
        <OtherKeys draft={draft} path={[...at, 'voice']} known={['flite', 'openai']} />
      </fieldset>
      <Appearance draft={draft} path={at}>
        <div class="item-fields">
          <DraftFields draft={draft} base={at} fields={ofCharacter.avatar} />
        </div>
        <OtherKeys
          draft={draft}
          path={[...at, 'avatar']}
          known={['avatarId', 'modelPath', 'imagePath', 'recipe']}
        />
      </Appearance>
    </>
  );
}
