import { signal, useSignal } from '@preact/signals';
import type { SimulatedCase, SimulationResult } from '@session-launch/contract/admin/simulation';
import { useEffect } from 'preact/hooks';
import { messageOf, request } from '../../../api/client.ts';
import { Button } from '../../../parts/button.tsx';
import { Table } from '../../../parts/table.tsx';
import { useLoad } from '../../../state/load.ts';
import { me } from '../../../state/me.ts';
import { readProject } from '../../../state/settings.ts';
import { toast } from '../../../state/toasts.ts';
import { languagesTexts } from '../../../texts/editor/languages.ts';
import { languageName } from '../../document/language-name.ts';
import type { Draft } from '../../saving/draft.ts';
import { CaseDialog } from './case-dialog.tsx';
import { curlOf, originFrom } from './curl.ts';

const simulatorTexts = languagesTexts.simulator;
/** Milliseconds without a change after which the cases are sent. */
const debounceMs = 250;

/** The cases, which stay while the page is open. */
const cases = signal<readonly SimulatedCase[]>([
  { door: 'browser', acceptLanguage: navigator.languages.join(', ') },
  { door: 'browser', locale: 'pt-BR', acceptLanguage: 'fr-CA, en;q=0.5' },
  { door: 'public', acceptLanguage: 'fr-CA, en;q=0.5' },
  { door: 'server', secondaryLocale: 'es' },
  { door: 'server' },
]);

/** A table of requests with the languages that they get from the rules in the form, and why. */
export function Simulator({ draft }: { draft: Draft }) {
  const results = useSignal<readonly SimulationResult[]>([]);
  const problem = useSignal<string | undefined>(undefined);
  /** The case in the dialog: its number, or the next one for a new case. */
  const edited = useSignal<number | undefined>(undefined);
  const languages = draft.document.value.runtime.languages ?? {};
  const now = cases.value;
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const params = { experienceId: draft.experienceId };
        const { signal } = abort;
        const answer = await request('POST /admin/experiences/{experienceId}/simulate', {
          params,
          body: { languages, cases: now },
          signal,
        });
        results.value = answer.results;
        problem.value = undefined;
      } catch (error) {
        if (!abort.signal.aborted) problem.value = messageOf(error);
      }
    }, debounceMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [languages, now]);
  const project = useLoad([draft.projectId], () => readProject(draft.projectId), ['project']);
  const copy = async (one: SimulatedCase) => {
    const facts = {
      publicUrl: me.value?.publicUrl ?? '',
      experienceId: draft.experienceId,
      origins: {
        browser: originFrom(project.data?.project.allowedOrigins ?? []),
        public: originFrom(draft.document.value.allowedOrigins ?? []),
      },
    };
    await navigator.clipboard.writeText(curlOf(one, facts));
    toast(simulatorTexts.copied);
  };
  return (
    <section class="part">
      <h2>{simulatorTexts.title}</h2>
      <p class="soft">{simulatorTexts.intro}</p>
      {problem.value === undefined ? null : (
        <p class="bad" role="alert">
          {problem.value}
        </p>
      )}
      {now.length === 0 ? (
        <p>{simulatorTexts.empty}</p>
      ) : (
        <Table
          caption={simulatorTexts.caption}
          rows={now.map((one, i) => ({ one, i, result: results.value[i] }))}
          keyOf={({ i }) => String(i)}
          columns={[
            { title: simulatorTexts.request, isName: true, cell: ({ one }) => <Case one={one} /> },
            {
              title: simulatorTexts.result,
              cell: ({ one, i, result }) => (
                <div class="case">
                  <Result result={result} />
                  <div class="case-actions">
                    <Button
                      look="plain"
                      label={simulatorTexts.changeOf(i + 1)}
                      onPress={() => {
                        edited.value = i;
                      }}
                    >
                      {simulatorTexts.change}
                    </Button>
                    <Button look="plain" label={simulatorTexts.curlOf(i + 1)} onPress={() => copy(one)}>
                      {simulatorTexts.curl}
                    </Button>
                    <Button
                      look="plain"
                      label={simulatorTexts.removeOf(i + 1)}
                      onPress={() => {
                        cases.value = now.filter((_, j) => j !== i);
                      }}
                    >
                      {simulatorTexts.remove}
                    </Button>
                  </div>
                </div>
              ),
            },
          ]}
        />
      )}
      <div class="row">
        <Button
          onPress={() => {
            edited.value = now.length;
          }}
        >
          {simulatorTexts.add}
        </Button>
      </div>
      {edited.value === undefined ? null : (
        <CaseDialog
          one={now[edited.value]}
          onSave={(changed) => {
            cases.value = [...now.slice(0, edited.value), changed, ...now.slice(edited.value! + 1)];
          }}
          onClose={() => {
            edited.value = undefined;
          }}
        />
      )}
    </section>
  );
}

function Case({ one: { door: endpoint, ...fields } }: { one: SimulatedCase }) {
  const sent = Object.entries(fields).map(([name, value]) => [
    name === 'acceptLanguage' ? simulatorTexts.acceptLanguage : name,
    value,
  ]);
  return (
    <div class="case">
      {simulatorTexts.endpoints[endpoint]}
      {sent.length === 0 ? <span class="soft">{simulatorTexts.nothing}</span> : null}
      {sent.map(([name, value]) => (
        <span key={name} class="soft">
          {name} <code>{value}</code>
        </span>
      ))}
    </div>
  );
}

function Result({ result }: { result: SimulationResult | undefined }) {
  if (result === undefined) return <span class="soft">…</span>;
  if ('error' in result)
    return (
      <>
        <strong class="bad">{simulatorTexts.refused}</strong>
        <span>{result.error.message}</span>
        <code class="soft">{result.error.code}</code>
      </>
    );
  const { locale, secondaryLocale, because } = result;
  return (
    <>
      <strong>
        {languageName(locale)} <code>{locale}</code>
        {secondaryLocale === undefined ? null : (
          <>
            {` ${simulatorTexts.and} `}
            {languageName(secondaryLocale)} <code>{secondaryLocale}</code>
          </>
        )}
      </strong>
      <span class="soft">{because}</span>
    </>
  );
}
