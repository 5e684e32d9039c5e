import { webhookVariableSnippet } from '@session-launch/contract/snippets';
import { CopyCode } from '../../parts/notice.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { webhooksTexts as texts } from '../../texts/webhooks.ts';
import { VerifyCode } from './verify-code.tsx';

/** Shows a new secret once, with code that verifies requests with it. */
export function ShownSecret({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <ShownOnce title={texts.shownTitle} secret={secret} label={texts.secret} words={texts} onClose={onClose}>
      {(copied) => (
        <>
          <CopyCode
            code={webhookVariableSnippet(secret)}
            label={texts.env}
            caption={texts.envCaption}
            onCopy={copied}
          />
          <VerifyCode />
        </>
      )}
    </ShownOnce>
  );
}
