import { useSignal } from '@preact/signals';
import type { ExperienceSummary } from '@session-launch/contract/admin/experience-schemas';
import { useEffect } from 'preact/hooks';
import { Select, TextField } from '../../parts/field.tsx';
import { route, setQuery } from '../../state/route.ts';
import { experiencesTexts as texts } from '../../texts/experiences.ts';

/** The filters of the list, as they stand in the address. */
export interface Filter {
  q: string;
  state: string;
  readiness: string;
}

export function currentFilter(): Filter {
  const { q = '', state = '', readiness = '' } = route.value.query;
  return { q, state, readiness };
}

export function isFiltering({ q, state, readiness }: Filter): boolean {
  return q !== '' || state !== '' || readiness !== '';
}

const states: Record<string, (one: ExperienceSummary) => boolean> = {
  published: ({ publishedRevision }) => publishedRevision !== undefined,
  draft: ({ hasDraft, status }) => hasDraft && status !== 'archived',
  archived: ({ status }) => status === 'archived',
};

/** Whether an experience matches the filters. Archived ones match only the state `archived`. */
export function passes({ q, state, readiness }: Filter, one: ExperienceSummary): boolean {
  const isWanted = states[state] ?? (({ status }: ExperienceSummary) => status !== 'archived');
  if (!isWanted(one)) return false;
  if (readiness !== '' && one.catalogReady !== (readiness === 'ready')) return false;
  const found = [one.title, one.slug, one.experienceId].some((text) => folded(text).includes(folded(q)));
  return q === '' || found;
}

/** Without case and accents. */
function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
}

/** Milliseconds after the last key before the search is written to the address: browsers limit how often it may change. */
const writeAfterMs = 250;

export function Filters({ filter }: { filter: Filter }) {
  const typed = useSignal<string | undefined>(undefined);
  const write = (changed: Partial<Filter>) => setQuery({ ...currentFilter(), ...changed });
  const flush = () => {
    if (typed.value !== undefined) write({ q: typed.value.trim() });
    typed.value = undefined;
  };
  useEffect(() => {
    if (typed.value === undefined) return;
    const text = typed.value.trim();
    const timer = setTimeout(() => write({ q: text }), writeAfterMs);
    return () => clearTimeout(timer);
  }, [typed.value]);
  const options = (names: Record<string, string>) =>
    Object.entries(names).map(([value, label]) => ({ value, label }));
  return (
    <search class="filters of-experiences">
      <TextField
        label={texts.search}
        type="search"
        placeholder={texts.searchHelp}
        value={typed.value ?? filter.q}
        onInput={(text) => {
          typed.value = text;
        }}
        onChange={flush}
      />
      <Select
        label={texts.state}
        value={filter.state}
        options={options(texts.states)}
        onChange={(state) => write({ state })}
      />
      <Select
        label={texts.readiness}
        value={filter.readiness}
        options={options(texts.readinesses)}
        onChange={(readiness) => write({ readiness })}
      />
    </search>
  );
}
