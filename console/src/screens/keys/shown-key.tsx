import { useSignal } from '@preact/signals';
import type { CreatedApiKey } from '@session-launch/contract/admin/keys';
import { curlSnippet, keyVariableSnippet, nodeSnippet } from '@session-launch/contract/snippets';
import { useEffect } from 'preact/hooks';
import { request } from '../../api/client.ts';
import { CopyCode } from '../../parts/notice.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { me } from '../../state/me.ts';
import { texts } from '../../texts/texts.ts';

interface ShownKeyProps {
  created: CreatedApiKey;
  projectId: string;
  onClose(): void;
}

/** Shows a new key once and, if it may create sessions, code that does. */
export function ShownKey({ created, projectId, onClose }: ShownKeyProps) {
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
  const { key, scopes } = created;
  const publicUrl = me.value?.publicUrl ?? '';
  return (
    <ShownOnce
      title={texts.keys.shownTitle}
      secret={key}
      label={texts.keys.keyItself}
      words={texts.keys}
      onClose={onClose}
    >
      {(copied) => (
        <>
          <CopyCode
            code={keyVariableSnippet(key)}
            label={texts.keys.env}
            caption={texts.keys.envCaption}
            onCopy={copied}
          />
          {scopes.includes('sessions:create') ? (
            <>
              <CopyCode
                code={curlSnippet({
                  publicUrl,
                  key: { text: key },
                  body: { experienceId: experienceId.value },
                })}
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
        </>
      )}
    </ShownOnce>
  );
}
