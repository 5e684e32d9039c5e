import './access/access.css';
import { htmlSnippet } from '@session-launch/contract/snippets';
import { CopyCode } from '../../parts/notice.tsx';
import { OriginCheck } from '../../parts/origin-check.tsx';
import { me } from '../../state/me.ts';
import { accessTexts } from '../../texts/editor/access.ts';
import { DraftSwitch, useField } from '../fields/fields.tsx';
import type { Draft } from '../saving/draft.ts';
import { OriginList } from './access/origin-list.tsx';

/** Who may start the experience, and the code to do so. */
export function Access({ draft }: { draft: Draft }) {
  const isPublic = useField(draft, ['public']).value === true;
  const code = htmlSnippet({
    publicUrl: me.value?.publicUrl ?? '',
    experienceId: draft.experienceId,
    endpoint: isPublic ? 'public' : 'browser',
  });
  return (
    <>
      <section class="part">
        <h2>{accessTexts.title}</h2>
        <p class="soft">{accessTexts.publicText}</p>
        <DraftSwitch draft={draft} path={['public']} label={accessTexts.public} on={accessTexts.publicOn} />
        <p class="soft">{accessTexts.live}</p>
      </section>
      <OriginList draft={draft} />
      <section class="part">
        <h2>{accessTexts.check}</h2>
        <p class="soft">{accessTexts.checkText}</p>
        {draft.isChanged.value ? <p class="warn">{accessTexts.checkUnsaved}</p> : null}
        <OriginCheck
          projectId={draft.projectId}
          experienceId={draft.experienceId}
          endpoint={isPublic ? 'public' : 'browser'}
        />
      </section>
      <section class="part">
        <h2>{accessTexts.lines}</h2>
        <p class="soft">{accessTexts.linesText}</p>
        <CopyCode code={code} label={accessTexts.code} />
      </section>
    </>
  );
}
