import { useSignal } from '@preact/signals';
import type { OriginCheckResult } from '@session-launch/contract/admin/origins';
import { messageOf, request } from '../api/client.ts';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { Form } from './form.tsx';
import { Badge } from './notice.tsx';

interface OriginCheckProps {
  projectId: string;
  experienceId: string;
  /** How pages start the experience: as one of the project, or as a public one. */
  endpoint?: keyof OriginCheckResult['doors'];
}

/** Shows whether pages on an origin may start an experience, and what is missing. */
export function OriginCheck({ projectId, experienceId, endpoint = 'browser' }: OriginCheckProps) {
  const origin = useSignal('');
  const result = useSignal<OriginCheckResult | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const check = async () => {
    problem.value = undefined;
    try {
      result.value = await request('POST /admin/origins/check', {
        body: { projectId, experienceId, origin: origin.value.trim() },
      });
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  return (
    <Form onSubmit={check}>
      <TextField
        label={texts.embeds.origin}
        help={texts.embeds.originHelp}
        problem={problem.value ?? result.value?.problem}
        placeholder="https://www.example.com"
        value={origin.value}
        onInput={(value) => {
          origin.value = value;
          result.value = undefined;
        }}
        required
      />
      <div class="row">
        <Button type="submit">{texts.embeds.check}</Button>
      </div>
      {result.value === undefined || result.value.problem !== undefined ? null : (
        <Result {...result.value.doors[endpoint]} />
      )}
    </Form>
  );
}

function Result({ allowed, checks, now }: OriginCheckResult['doors']['browser']) {
  const isRefusedNow = allowed && now?.available === false;
  return (
    <div class="stack" role="status">
      <p class={allowed && !isRefusedNow ? 'good' : 'warn'}>
        {isRefusedNow ? texts.embeds.refusedNow : allowed ? texts.embeds.allowed : texts.embeds.refused}
      </p>
      <ul class="steps">
        {checks.map(({ check, ok, why }) => (
          <li key={check}>
            <Badge tone={ok ? 'good' : 'bad'}>{ok ? texts.embeds.passed : texts.embeds.failed}</Badge>
            <span>{why}</span>
          </li>
        ))}
        {allowed && now !== undefined ? (
          <li>
            <Badge tone={isRefusedNow ? 'bad' : 'good'}>
              {isRefusedNow ? texts.embeds.notNow : texts.embeds.passed}
            </Badge>
            <span>{now.message ?? texts.embeds.startsNow}</span>
          </li>
        ) : null}
      </ul>
    </div>
  );
}
