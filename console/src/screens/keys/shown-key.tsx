import { useSignal } from '@preact/signals';
import type { CreatedApiKey } from '@session-launch/contract/admin/keys';
import { curlSnippet, keyVariableSnippet, nodeSnippet } from '@session-launch/contract/snippets';
import { useEffect } from 'preact/hooks';
import { request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CopyCode, CopyValue } from '../../parts/notice.tsx';
import { me } from '../../state/me.ts';
import { set } from '../../state/set.ts';
import { texts } from '../../texts/texts.ts';
import { useStay } from './stay.ts';

interface ShownKeyProps {
  created: CreatedApiKey;
  projectId: string;
  onClose(): void;
}

/**
 * Shows a new key once and, if it may create sessions, code that does. As long as nothing was copied, asks before the dialog is closed or
 * the page is left.
 */
export function ShownKey({ created, projectId, onClose }: ShownKeyProps) {
  const isCopied = useSignal(false);
  const isLeaving = useSignal(false);
  const experienceId = useSignal('exp_your_experience');
  useEffect(() => {
    request('GET /admin/projects/{projectId}/experiences', { params: { projectId } }).then(
      ({ experiences }) => {
        // The code cannot start a session of a draft.
        const shown = experiences.find(({ status }) => status === 'published') ?? experiences[0];
        if (shown !== undefined) experienceId.value = shown.experienceId;
      },
      () => undefined,
    );
  }, []);
  useStay(!isCopied.value, () => set(isLeaving, true));
  const leave = () => {
    if (isCopied.value) onClose();
    else isLeaving.value = true;
  };
  const copied = () => {
    isCopied.value = true;
    isLeaving.value = false;
  };
  const { key, scopes } = created;
  const publicUrl = me.value?.publicUrl ?? '';
  return (
    <Dialog title={texts.keys.shownTitle} isWide onClose={leave}>
      <p>{texts.keys.shownText}</p>
      <CopyValue value={key} label={texts.keys.keyItself} autoFocus onCopy={copied} />
      <CopyCode
        code={keyVariableSnippet(key)}
        label={texts.keys.env}
        caption={texts.keys.envCaption}
        onCopy={copied}
      />
      {scopes.includes('sessions:create') ? (
        <>
          <CopyCode
            code={curlSnippet({ publicUrl, key: { text: key }, body: { experienceId: experienceId.value } })}
            label={texts.keys.curl}
            caption={texts.keys.curlCaption}
            onCopy={copied}
          />
          <CopyCode
            code={nodeSnippet({ publicUrl, experienceId: experienceId.value })}
            label={texts.keys.node}
            caption={texts.keys.nodeCaption}
          />
        </>
      ) : null}
      <div class="dialog-foot">
        {isLeaving.value ? (
          <>
            <p role="alert">{texts.keys.notCopied}</p>
            <Button onPress={() => set(isLeaving, false)}>{texts.keys.back}</Button>
            <Button look="danger" onPress={onClose}>
              {texts.keys.closeAnyway}
            </Button>
          </>
        ) : (
          <Button look="primary" onPress={leave}>
            {texts.keys.done}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
