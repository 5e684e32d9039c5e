import { useSignal } from '@preact/signals';
import type { ApiKeyRecord, CreatedApiKey } from '@session-launch/contract/admin/keys';
import { request } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Badge, Empty, Show } from '../../parts/notice.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useLoad } from '../../state/load.ts';
import { may } from '../../state/me.ts';
import type { ProjectScreen } from '../../state/screen.ts';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';
import { texts } from '../../texts/texts.ts';
import { CreateKey } from './create-key.tsx';
import { ShownKey } from './shown-key.tsx';

type Asking = { what: 'create' } | { what: 'revoke' | 'replace'; key: ApiKeyRecord };

export const keysScreen: ProjectScreen = { address: 'keys', title: texts.keys.title, component: Keys };

/** The API keys of a project. A key itself is shown only once, right after it was created. */
function Keys({ projectId }: { projectId: string }) {
  const loaded = useLoad(
    [projectId],
    (signal) => request('GET /admin/projects/{projectId}/keys', { params: { projectId }, signal }),
    ['key'],
  );
  const asking = useSignal<Asking | undefined>(undefined);
  const shown = useSignal<CreatedApiKey | undefined>(undefined);
  const close = () => {
    asking.value = undefined;
  };
  const create = may('run-integration') ? (
    <Button look="primary" onPress={() => set(asking, { what: 'create' })}>
      {texts.keys.create}
    </Button>
  ) : null;
  return (
    <Screen title={texts.keys.title} intro={texts.keys.intro} actions={create}>
      <Show loaded={loaded}>
        {({ keys }) =>
          keys.length === 0 ? (
            <Empty title={texts.keys.empty}>
              <p>{texts.keys.emptyText}</p>
              {create}
            </Empty>
          ) : (
            <KeyTable keys={[...keys].reverse()} onAsk={(what, key) => set(asking, { what, key })} />
          )
        }
      </Show>
      {asking.value?.what === 'create' ? (
        <CreateKey
          projectId={projectId}
          onClose={close}
          onCreated={(key) => {
            close();
            shown.value = key;
            void loaded.reload();
          }}
        />
      ) : null}
      {asking.value?.what === 'revoke' ? (
        <Revoke keyRecord={asking.value.key} onClose={close} onDone={loaded.reload} />
      ) : null}
      {asking.value?.what === 'replace' ? (
        <Replace
          keyRecord={asking.value.key}
          onClose={close}
          onDone={(key) => {
            shown.value = key;
            void loaded.reload();
          }}
        />
      ) : null}
      {shown.value === undefined ? null : (
        <ShownKey created={shown.value} projectId={projectId} onClose={() => set(shown, undefined)} />
      )}
    </Screen>
  );
}

function mayChange({ mode }: ApiKeyRecord): boolean {
  return may(mode === 'live' ? 'manage-projects' : 'run-integration');
}

function KeyTable({
  keys,
  onAsk,
}: {
  keys: ApiKeyRecord[];
  onAsk(what: 'revoke' | 'replace', key: ApiKeyRecord): void;
}) {
  return (
    <Table
      caption={texts.keys.caption}
      rows={keys}
      keyOf={({ keyId }) => keyId}
      columns={[
        {
          title: texts.keys.key,
          isName: true,
          cell: ({ hint, name }) => (
            <span>
              {name === undefined ? null : <bdi>{name}</bdi>} <code class="soft">{hint}</code>
            </span>
          ),
        },
        { title: texts.keys.mode, cell: ({ mode }) => texts.keys[mode] },
        {
          title: texts.keys.scopes,
          cell: ({ scopes }) => scopes.map((scope) => texts.keys.scopeNames[scope]).join(', '),
        },
        { title: texts.keys.lastUsed, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
        { title: texts.keys.state, cell: (key) => <KeyState keyRecord={key} /> },
        {
          title: '',
          cell: (key) =>
            stateOf(key) === 'active' && mayChange(key) ? (
              <span class="actions">
                <Button label={texts.keys.replaceOf(key.hint)} onPress={() => onAsk('replace', key)}>
                  {texts.keys.replace}
                </Button>
                <Button
                  look="danger"
                  label={texts.keys.revokeOf(key.hint)}
                  onPress={() => onAsk('revoke', key)}
                >
                  {texts.keys.revoke}
                </Button>
              </span>
            ) : null,
        },
      ]}
    />
  );
}

function stateOf({ revokedAt, expiresAt }: ApiKeyRecord): 'active' | 'revoked' | 'expired' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}

function KeyState({ keyRecord }: { keyRecord: ApiKeyRecord }) {
  const state = stateOf(keyRecord);
  if (state === 'active' && keyRecord.expiresAt !== undefined)
    return (
      <span>
        {texts.keys.expires} <Time at={keyRecord.expiresAt} />
      </span>
    );
  return <Badge tone={state === 'active' ? 'good' : ''}>{texts.keys[state]}</Badge>;
}

function Revoke({
  keyRecord,
  onClose,
  onDone,
}: {
  keyRecord: ApiKeyRecord;
  onClose(): void;
  onDone(): unknown;
}) {
  return (
    <Confirm
      title={texts.keys.revokeTitle}
      action={texts.keys.revoke}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await request('POST /admin/keys/{keyId}/revoke', { params: { keyId: keyRecord.keyId } });
        toast(texts.keys.isRevoked);
        void onDone();
      }}
    >
      <p>{texts.keys.revokeText(keyRecord.hint)}</p>
    </Confirm>
  );
}

function Replace({
  keyRecord,
  onClose,
  onDone,
}: {
  keyRecord: ApiKeyRecord;
  onClose(): void;
  onDone(key: CreatedApiKey): void;
}) {
  return (
    <Confirm
      title={texts.keys.replaceTitle}
      action={texts.keys.replace}
      onClose={onClose}
      onConfirm={async () => {
        onDone(await request('POST /admin/keys/{keyId}/replace', { params: { keyId: keyRecord.keyId } }));
      }}
    >
      <p>{texts.keys.replaceText(keyRecord.hint)}</p>
    </Confirm>
  );
}
