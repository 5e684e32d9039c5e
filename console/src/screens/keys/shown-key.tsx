import { useSignal } from '@preact/signals';
import type { CreatedApiKey } from '@session-launch/contract/admin/keys';
import { useEffect } from 'preact/hooks';
import { request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Copy } from '../../parts/notice.tsx';
import { me } from '../../state/me.ts';
import { set } from '../../state/set.ts';
import { texts } from '../../texts.ts';
import { useStay } from './stay.ts';

interface ShownKeyProps {
  created: CreatedApiKey;
  projectId: string;
  onClose(): void;
}

/** Shows a new key once, with code that uses it. Asks before it is closed or the page is left if nothing was copied. */
export function ShownKey({ created, projectId, onClose }: ShownKeyProps) {
  const isCopied = useSignal(false);
  const isLeaving = useSignal(false);
  const experienceId = useSignal('exp_your_experience');
  useEffect(() => {
    request<{ experiences: { experienceId: string }[] }>(`projects/${projectId}/experiences`).then(
      ({ experiences: [first] }) => {
        if (first !== undefined) experienceId.value = first.experienceId;
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
  const { key } = created;
  const publicUrl = me.value?.publicUrl ?? '';
  return (
    <Dialog title={texts.keys.shownTitle} isWide onClose={leave}>
      <p>{texts.keys.shownText}</p>
      <Copy text={key} label={texts.keys.keyItself} autoFocus onCopy={copied} />
      <Copy
        text={`SESSION_LAUNCH_API_KEY=${key}`}
        label={texts.keys.env}
        caption={texts.keys.envCaption}
        onCopy={copied}
      />
      <Copy
        text={curlOf(publicUrl, key, experienceId.value)}
        label={texts.keys.curl}
        caption={texts.keys.curlCaption}
        onCopy={copied}
      />
      <Copy
        text={nodeOf(publicUrl, experienceId.value)}
        label={texts.keys.node}
        caption={texts.keys.nodeCaption}
      />
      {isLeaving.value ? <p role="alert">{texts.keys.notCopied}</p> : null}
      <div class="dialog-foot">
        {isLeaving.value ? (
          <>
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

function curlOf(publicUrl: string, key: string, experienceId: string): string {
  return [
    `curl -X POST ${publicUrl}/v1/sessions \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d '{"experienceId":"${experienceId}"}'`,
  ].join('\n');
}

function nodeOf(publicUrl: string, experienceId: string): string {
  return [
    "import { SessionLaunch } from '@session-launch/backend';",
    '',
    'const sessions = new SessionLaunch({',
    `  baseUrl: '${publicUrl}',`,
    '  apiKey: process.env.SESSION_LAUNCH_API_KEY,',
    '});',
    `const { launch } = await sessions.create({ experienceId: '${experienceId}' });`,
  ].join('\n');
}
