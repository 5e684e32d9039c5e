import type { WebhookTestResult } from '@session-launch/contract/admin/webhooks';
import { Button } from '../../parts/button.tsx';
import { Badge } from '../../parts/notice.tsx';
import { webhooksTexts as texts } from '../../texts/webhooks.ts';
import { Answer, ResponseBody } from './answer.tsx';

interface TestResultProps {
  result: WebhookTestResult | 'running' | undefined;
  onClose(): void;
}

/** What the receiver answered to a test. Screen readers announce it. */
export function TestResult({ result, onClose }: TestResultProps) {
  return (
    <div class={result === undefined ? 'hidden-text' : undefined} role="status">
      {result === undefined ? null : (
        <section class="panel">
          <div class="row spread">
            <h2>{texts.testResult}</h2>
            {result === 'running' ? null : (
              <Button look="plain" label={texts.dismiss} onPress={onClose}>
                ✕
              </Button>
            )}
          </div>
          {result === 'running' ? <p class="soft">{texts.testing}</p> : <Result result={result} />}
        </section>
      )}
    </div>
  );
}

function Result({ result }: { result: WebhookTestResult }) {
  const { delivered, response, responseTruncated } = result;
  return (
    <>
      <p class="row">
        <Badge tone={delivered ? 'good' : 'bad'}>{delivered ? texts.testDelivered : texts.testFailed}</Badge>
        <Answer attempt={result} />
      </p>
      {delivered ? null : <p>{texts.testFailedHelp}</p>}
      {response === undefined ? (
        result.status === undefined ? null : (
          <p class="soft">{texts.noResponse}</p>
        )
      ) : (
        <ResponseBody text={response} isTruncated={responseTruncated} />
      )}
    </>
  );
}
