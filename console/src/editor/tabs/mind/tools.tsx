import { useSignal } from '@preact/signals';
import { Button } from '../../../parts/button.tsx';
import { set } from '../../../state/set.ts';
import { mindTexts } from '../../../texts/editor/mind.ts';
import type { Path } from '../../document/path.ts';
import { schemaAt } from '../../document/schema.ts';
import { DraftText } from '../../fields/fields.tsx';
import { IdField } from '../../fields/id-field.tsx';
import type { ItemKind } from '../../fields/item-kind.ts';
import { ItemList } from '../../fields/item-list.tsx';
import { DraftJson } from '../../fields/json-field.tsx';
import type { Item } from '../../fields/list-changes.ts';
import type { Draft } from '../../saving/draft.ts';
import { ofTool } from './form.ts';
import { ListPart } from './list-part.tsx';
import { mindPath } from './mind-languages.ts';
import { MindSummary } from './mind-summary.tsx';
import { ToolSignature } from './tool-signature.tsx';
import { TryTool } from './try-tool.tsx';

const texts = mindTexts.tools;
const path = [...mindPath, ofTool.list];

/** What the characters can do. */
export function Tools({ draft }: { draft: Draft }) {
  return (
    <ListPart draft={draft} path={path} kindOf={toolKind} texts={texts}>
      {({ kind, count, reveal }) => (
        <>
          {count > 0 ? <ToolSignature projectId={draft.projectId} /> : null}
          <ItemList draft={draft} path={path} kind={kind} reveal={reveal} />
        </>
      )}
    </ListPart>
  );
}

const toolKind = (draft: Draft): ItemKind => ({
  idField: ofTool.name,
  noun: texts.noun,
  openUpTo: 2,
  maxItems: schemaAt(path).maxItems,
  create: (free) => ({ name: free(texts.newName), description: '', url: '' }),
  nameOf: (item) => String(item.name),
  summary: (item) => (
    <MindSummary name={String(item.name)} text={String(item.description ?? '')} missing={[]} />
  ),
  fields: (at) => <ToolFields draft={draft} path={at} />,
});

function ToolFields({ draft, path: at }: { draft: Draft; path: Path }) {
  const isTrying = useSignal(false);
  const { description, url, parameters } = ofTool.fields;
  return (
    <>
      <div class="item-fields">
        <div class="stack">
          <IdField draft={draft} path={at} idField={ofTool.name} label={texts.name} />
          <DraftText draft={draft} path={[...at, description]} label={texts.description} rows={3} />
          <DraftText draft={draft} path={[...at, url]} label={texts.url} />
        </div>
        <DraftJson draft={draft} path={[...at, parameters]} label={texts.parameters} rows={12} />
      </div>
      {draft.isEditable ? (
        <div class="row">
          <Button onPress={() => set(isTrying, true)}>{texts.tryIt}</Button>
        </div>
      ) : null}
      {isTrying.value ? (
        <TryTool
          projectId={draft.projectId}
          tool={draft.at(at) as Item}
          onClose={() => set(isTrying, false)}
        />
      ) : null}
    </>
  );
}
