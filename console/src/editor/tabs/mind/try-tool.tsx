import { useSignal } from '@preact/signals';
import type { ToolTrialResult } from '@session-launch/contract/admin/tools';
import { messageOf, request } from '../../../api/client.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { TextField } from '../../../parts/field.tsx';
import { Form } from '../../../parts/form.tsx';
import { Badge, CopyValue } from '../../../parts/notice.tsx';
import { mindTexts } from '../../../texts/editor/mind.ts';
import { texts as common } from '../../../texts/texts.ts';
import type { Item } from '../../fields/list-changes.ts';
import { sampleArguments } from './sample-arguments.ts';

const texts = mindTexts.tools.trial;

interface TryToolProps {
  projectId: string;
  /** The tool as edited. */
  tool: Item;
  onClose(): void;
}

/** Calls a tool through the service, and shows the request and the response. */
export function TryTool({ projectId, tool, onClose }: TryToolProps) {
  const written = useSignal(JSON.stringify(sampleArguments(tool.parameters), null, 2));
  const problem = useSignal<string | undefined>(undefined);
  const result = useSignal<ToolTrialResult | undefined>(undefined);
  const isRunning = useSignal(false);
  const send = async () => {
    problem.value = undefined;
    const values = objectIn(written.value);
    if (values === undefined) {
      problem.value = texts.notJson;
      return;
    }
    isRunning.value = true;
    try {
      const { name, url, parameters } = tool as { name: string; url: string; parameters?: Item };
      result.value = await request('POST /admin/projects/{projectId}/tool-calls', {
        params: { projectId },
        body: { name, url, ...(parameters === undefined ? {} : { parameters }), arguments: values },
      });
    } catch (error) {
      result.value = undefined;
      problem.value = messageOf(error);
    } finally {
      isRunning.value = false;
    }
  };
  return (
    <Dialog title={texts.title(String(tool.name))} isWide isBusy={isRunning.value} onClose={onClose}>
      <Form onSubmit={send}>
        <p class="soft">{texts.used}</p>
        <TextField
          label={texts.arguments}
          value={written.value}
          problem={problem.value}
          rows={5}
          autoFocus
          onInput={(text) => {
            written.value = text;
          }}
        />
        <div aria-live="polite" class="stack">
          {result.value === undefined ? null : <Result result={result.value} />}
        </div>
        <div class="dialog-foot">
          <Button isPaused={isRunning.value} onPress={onClose}>
            {common.close}
          </Button>
          <Button type="submit" look="primary">
            {isRunning.value ? texts.sending : texts.send}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function Result({ result }: { result: ToolTrialResult }) {
  const { outcome, milliseconds, output, request: sent, response } = result;
  return (
    <>
      <p>
        <Badge tone={outcome === 'done' ? 'good' : 'bad'}>{texts.outcomes[outcome]}</Badge>{' '}
        <span class="soft number">{texts.milliseconds(milliseconds)}</span>
      </p>
      {response === undefined ? <p>{output}</p> : null}
      {sent === undefined ? null : <Sent title={texts.request} headers={sent.headers} body={sent.body} />}
      {response === undefined ? null : (
        <Sent
          title={`${texts.response} ${response.status}`}
          headers={response.headers}
          body={response.body}
        />
      )}
    </>
  );
}

function Sent({ title, headers, body }: { title: string; headers: Record<string, string>; body: string }) {
  const text = `${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}\n\n${body}`;
  return <CopyValue value={text} label={title} caption={title} />;
}

function objectIn(text: string): Item | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Item) : undefined;
  } catch {
    return undefined;
  }
}
