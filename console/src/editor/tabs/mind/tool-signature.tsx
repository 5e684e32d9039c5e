import { useSignal } from '@preact/signals';
import { request } from '../../../api/client.ts';
import { Button } from '../../../parts/button.tsx';
import { Confirm, Dialog } from '../../../parts/dialog.tsx';
import { CopyValue } from '../../../parts/notice.tsx';
import { Time } from '../../../parts/time.tsx';
import { useLoad } from '../../../state/load.ts';
import { may } from '../../../state/me.ts';
import { set } from '../../../state/set.ts';
import { mindTexts } from '../../../texts/editor/mind.ts';
import { texts as common } from '../../../texts/texts.ts';

const texts = mindTexts.tools.signature;

/** Whether calls of tools are signed. Developers create or replace the secret here. */
export function ToolSignature({ projectId }: { projectId: string }) {
  const params = { projectId };
  const { data, reload } = useLoad(
    [projectId],
    () => request('GET /admin/projects/{projectId}/tool-secret', { params }),
    ['project'],
  );
  const isReplacing = useSignal(false);
  const secret = useSignal<string | undefined>(undefined);
  const create = async () => {
    const created = await request('POST /admin/projects/{projectId}/tool-secret', { params, body: {} });
    secret.value = created.secret;
    await reload();
  };
  if (data === undefined) return null;
  const { isSigned, createdAt } = data;
  return (
    <div class="row">
      {isSigned ? (
        <p class="soft">
          {texts.signed} <Time at={createdAt} />
        </p>
      ) : (
        <p class="warn">
          {texts.unsigned}
          {may('run-integration') ? null : ` ${texts.askDeveloper}`}
        </p>
      )}
      {may('run-integration') ? (
        <Button onPress={isSigned ? () => set(isReplacing, true) : create}>
          {isSigned ? texts.replace : texts.create}
        </Button>
      ) : null}
      {isReplacing.value ? (
        <Confirm
          title={texts.replaceTitle}
          action={texts.replace}
          onConfirm={create}
          onClose={() => set(isReplacing, false)}
        >
          <p>{texts.replaceText}</p>
        </Confirm>
      ) : null}
      {secret.value === undefined || isReplacing.value ? null : (
        <Dialog title={texts.shownTitle} onClose={() => set(secret, undefined)}>
          <p>{texts.shownText}</p>
          <CopyValue value={secret.value} label={texts.secret} autoFocus />
          <div class="dialog-foot">
            <Button look="primary" onPress={() => set(secret, undefined)}>
              {common.close}
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
