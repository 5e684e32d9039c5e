import { useSignal } from '@preact/signals';
import type { OperatorRecord } from '@session-launch/contract/admin/operators';
import { isConflict, request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { CopyValue, Empty, Show } from '../../parts/notice.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Table } from '../../parts/table.tsx';
import { useLoad } from '../../state/load.ts';
import { me } from '../../state/me.ts';
import type { ServiceScreen } from '../../state/screen.ts';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';
import { texts } from '../../texts/texts.ts';
import { AddOperator } from './add-operator.tsx';
import { Logins } from './logins.tsx';
import { RoleSelect } from './role-select.tsx';

type Asking =
  | { what: 'add' }
  | { what: 'remove' | 'token'; operator: OperatorRecord }
  | { what: 'show'; title: string; text: string; secret: string; label: string };

export const teamScreen: ServiceScreen = {
  address: 'team',
  title: texts.team.title,
  component: Team,
  permission: 'manage-service',
};

/** Who may use the console, and the browsers that are signed in. */
function Team() {
  const loaded = useLoad([], (signal) => request('GET /admin/operators', { signal }), ['operator']);
  const asking = useSignal<Asking | undefined>(undefined);
  const close = () => {
    asking.value = undefined;
  };
  const showToken = (secret: string) => {
    const { shownTitle: title, shownText: text, token: label } = texts.team;
    asking.value = { what: 'show', title, text, secret, label };
    void loaded.reload();
  };
  const link = async ({ operatorId }: OperatorRecord) => {
    const { url } = await request('POST /admin/login-links', { body: { operatorId } });
    const { linkTitle: title, linkText: text, linkItself: label } = texts.team;
    asking.value = { what: 'show', title, text, secret: url, label };
  };
  return (
    <Screen
      title={texts.team.title}
      actions={
        <Button look="primary" onPress={() => set(asking, { what: 'add' })}>
          {texts.team.add}
        </Button>
      }
    >
      <Show loaded={loaded}>
        {({ operators }) =>
          operators.length === 0 ? (
            <Empty title={texts.team.empty}>
              <p>{texts.team.emptyText}</p>
            </Empty>
          ) : (
            <OperatorTable
              operators={operators}
              onLink={link}
              onAsk={(what, operator) => set(asking, { what, operator })}
              onChanged={loaded.reload}
            />
          )
        }
      </Show>
      <Logins />
      {asking.value === undefined ? null : (
        <Asked asking={asking.value} onClose={close} onToken={showToken} onChanged={loaded.reload} />
      )}
    </Screen>
  );
}

interface OperatorTableProps {
  operators: OperatorRecord[];
  onLink(operator: OperatorRecord): unknown;
  onAsk(what: 'remove' | 'token', operator: OperatorRecord): void;
  onChanged(): unknown;
}

function OperatorTable({ operators, onLink, onAsk, onChanged }: OperatorTableProps) {
  const own = me.value?.operator.operatorId;
  return (
    <Table
      caption={texts.team.caption}
      rows={operators}
      keyOf={({ operatorId }) => operatorId}
      columns={[
        {
          title: texts.team.name,
          isName: true,
          cell: ({ name, operatorId }) => (
            <span>
              <bdi>{name}</bdi> <code class="soft">{operatorId}</code>
            </span>
          ),
        },
        {
          title: texts.team.role,
          cell: (operator) =>
            operator.operatorId === 'bootstrap' || operator.operatorId === own ? (
              operator.role
            ) : (
              <RoleSelect operator={operator} onChanged={onChanged} />
            ),
        },
        {
          title: texts.team.projects,
          cell: ({ projectIds }) => projectIds?.join(', ') ?? texts.team.allProjects,
        },
        {
          title: '',
          cell: (operator) => (
            <span class="actions">
              <Button label={texts.team.linkOf(operator.name)} onPress={() => onLink(operator)}>
                {texts.team.link}
              </Button>
              {operator.operatorId === 'bootstrap' ? null : (
                <>
                  <Button onPress={() => onAsk('token', operator)}>{texts.team.newToken}</Button>
                  <Button
                    look="danger"
                    label={texts.team.removeOf(operator.name)}
                    onPress={() => onAsk('remove', operator)}
                  >
                    {texts.team.remove}
                  </Button>
                </>
              )}
            </span>
          ),
        },
      ]}
    />
  );
}

interface AskedProps {
  asking: Asking;
  onClose(): void;
  onToken(token: string): void;
  onChanged(): unknown;
}

function Asked({ asking, onClose, onToken, onChanged }: AskedProps) {
  if (asking.what === 'add') return <AddOperator onClose={onClose} onAdded={onToken} />;
  if (asking.what === 'show')
    return (
      <Dialog title={asking.title} onClose={onClose}>
        <p>{asking.text}</p>
        <CopyValue value={asking.secret} label={asking.label} autoFocus />
        <div class="dialog-foot">
          <Button look="primary" onPress={onClose}>
            {texts.team.done}
          </Button>
        </div>
      </Dialog>
    );
  const { operatorId, name, issuer, version } = asking.operator;
  const params = { operatorId };
  /**
   * Waits for a request for this version of the operator, then calls `done`. After a conflict, a toast says so and the dialog closes: it was
   * opened for a version that is outdated.
   */
  const after = async <T,>(answer: Promise<T>, done: (answer: T) => void) => {
    try {
      done(await answer);
    } catch (error) {
      if (!isConflict(error)) throw error;
      toast(texts.team.conflict(name, error.details.by), { tone: 'bad' });
      void onChanged();
    }
  };
  if (asking.what === 'token')
    return (
      <Confirm
        title={texts.team.newTokenTitle}
        action={texts.team.newToken}
        isDangerous
        onClose={onClose}
        onConfirm={() =>
          after(
            request('POST /admin/operators/{operatorId}/token', { params, version }),
            // After the confirmation has closed itself.
            ({ token }) => void setTimeout(() => onToken(token)),
          )
        }
      >
        <p>{texts.team.newTokenText}</p>
      </Confirm>
    );
  return (
    <Confirm
      title={texts.team.removeTitle}
      action={texts.team.remove}
      isDangerous
      onClose={onClose}
      onConfirm={() =>
        after(request('DELETE /admin/operators/{operatorId}', { params, version }), () => {
          toast(texts.team.removed(name));
          void onChanged();
        })
      }
    >
      <p>{texts.team.removeText(name)}</p>
      {issuer !== undefined && <p>{texts.team.removeProvider}</p>}
    </Confirm>
  );
}
