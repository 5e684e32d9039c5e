import { useSignal } from '@preact/signals';
import { curlSnippet } from '@session-launch/contract/snippets';
import { ApplySelect } from '../../parts/apply-select.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Chart } from '../../parts/chart.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Choices, Select, TextField } from '../../parts/field.tsx';
import { Badge, CopyCode, Empty, Failure } from '../../parts/notice.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Table } from '../../parts/table.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';

const options = [
  { value: 'one', label: 'One' },
  { value: 'two', label: 'Two' },
];
const hours = Array.from({ length: 24 }, (_, hour) => ({
  at: `2026-03-01T${String(hour).padStart(2, '0')}:00:00.000Z`,
  mints: (hour * 7) % 23,
  refused: hour % 5,
}));

/** Every part in every state, for tests and for people who change the parts. No link leads here. */
export function PartsPage() {
  const text = useSignal('Text');
  const chosen = useSignal(['one']);
  const isAsking = useSignal(false);
  const setText = (value: string) => {
    text.value = value;
  };
  const choose = (values: string[]) => {
    chosen.value = values;
  };
  return (
    <Screen title="Parts" intro="Every part in every state.">
      <div class="row">
        <Button look="primary">Primary</Button>
        <Button>Normal</Button>
        <Button look="danger" onPress={() => set(isAsking, true)}>
          Dangerous
        </Button>
        <Button look="plain">Plain</Button>
        <Button disabled>Disabled</Button>
        <Button onPress={() => new Promise(() => {})}>Busy</Button>
        <LinkButton href="#/parts">Link</LinkButton>
        <Button onPress={() => toast('Something was done.', { action: { label: 'Undo', run: () => {} } })}>
          Toast
        </Button>
        <Button onPress={() => Promise.reject(new Error('This failed on purpose.'))}>Failing</Button>
      </div>
      <div class="filters">
        <TextField label="Text" value={text.value} onInput={setText} help="Help for the field." />
        <TextField
          label="Text with a problem"
          value={text.value}
          onInput={setText}
          problem="Write something else."
        />
        <TextField label="Disabled text" value={text.value} onInput={setText} disabled />
        <Select
          label="Select"
          value={chosen.value[0] ?? 'one'}
          options={options}
          onChange={(value) => choose([value])}
        />
        <ApplySelect
          label="Select with a button"
          value={chosen.value[0] ?? 'one'}
          options={options}
          button={({ label }) => ({ text: 'Apply', name: `Apply ${label}` })}
          onApply={(value) => choose([value])}
        />
        <TextField label="Long text" value={text.value} onInput={setText} rows={3} />
        <Choices label="Several" type="checkbox" options={options} chosen={chosen.value} onChange={choose} />
        <Choices label="One of" type="radio" options={options} chosen={chosen.value} onChange={choose} />
      </div>
      <div class="row">
        <Badge>neutral</Badge>
        <Badge tone="good">good</Badge>
        <Badge tone="warn">warn</Badge>
        <Badge tone="bad">bad</Badge>
        <Time at={new Date(Date.now() - 90_000).toISOString()} />
        <Time at={undefined} />
      </div>
      <Tabs
        label="Example"
        current="one"
        tabs={options.map(({ value, label }) => ({ id: value, title: label, href: '#/parts' }))}
      />
      <p class="banner">
        Something happened to the service. <Button>Reload</Button>
      </p>
      <p class="loading">Loading…</p>
      <CopyCode
        code={curlSnippet({
          publicUrl: 'http://127.0.0.1:8080',
          key: { variable: 'LAUNCH_KEY' },
          body: { experienceId: 'exp_example' },
        })}
        label="curl command"
      />
      <Table
        caption="Example"
        rows={options}
        keyOf={({ value }) => value}
        columns={[
          { title: 'Name', isName: true, cell: ({ label }) => label },
          { title: 'Count', isNumber: true, cell: ({ value }) => value.length },
          {
            title: '',
            cell: () => (
              <span class="actions">
                <Button>Open</Button>
              </span>
            ),
          },
        ]}
      />
      <Chart points={hours} />
      <Empty title="Nothing here">
        <p>What to do next.</p>
        <Button look="primary">Create something</Button>
      </Empty>
      <Failure error={new Error('The database does not answer.')} onRetry={() => undefined} />
      {isAsking.value ? (
        <Confirm
          title="Delete it?"
          action="Delete"
          isDangerous
          onConfirm={() => undefined}
          onClose={() => set(isAsking, false)}
        >
          <p>This cannot be undone.</p>
        </Confirm>
      ) : null}
    </Screen>
  );
}
