import { useSignal } from '@preact/signals';
import { type WebhookLanguage, webhookSnippets } from '@session-launch/contract/snippets';
import { Select } from '../../parts/field.tsx';
import { CopyCode } from '../../parts/notice.tsx';
import { webhooksTexts as texts } from '../../texts/webhooks.ts';

/** Code that verifies requests, in a language to choose. It contains no secret. */
export function VerifyCode() {
  const language = useSignal<WebhookLanguage>('node');
  return (
    <>
      <Select
        label={texts.language}
        value={language.value}
        options={Object.entries(texts.languages).map(([value, label]) => ({ value, label }))}
        onChange={(value) => {
          language.value = value as WebhookLanguage;
        }}
      />
      <CopyCode
        code={webhookSnippets[language.value]}
        label={texts.code}
        caption={texts.codeCaption(language.value)}
      />
    </>
  );
}
