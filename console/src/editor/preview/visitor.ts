import { signal } from '@preact/signals';
import type { SimulatedCase } from '@session-launch/contract/admin/simulation';
import type { Sent } from '@session-launch/contract/sent';
import { request } from '../../api/client.ts';
import { previewTexts } from '../../texts/editor/preview.ts';
import type { Experience } from '../document/model.ts';

export type Endpoint = SimulatedCase['door'];

/** How the visitor of a preview arrives. */
export interface Visitor {
  endpoint: Endpoint;
  /** The language that the application asks for; empty for none. */
  locale: string;
  /** The paired language that the application asks for; empty for none. */
  secondaryLocale: string;
  acceptLanguage: string;
  speechOnly: boolean;
}

/** Shared by the editors of all experiences, so that a choice stays while the page is open. */
export const visitor = signal<Visitor>({
  endpoint: 'browser',
  locale: '',
  secondaryLocale: '',
  acceptLanguage: navigator.languages.join(', '),
  speechOnly: false,
});

/** What a session is started with. The preview page sends it to the service. */
export interface Grant {
  code: string;
  locale: string;
  secondaryLocale?: string;
  speechOnly: boolean;
}

/** The languages of a dual experience must both be known. */
export class SecondLanguageNeeded extends Error {}

/** The languages that a mint of this visitor would get from a revision. Throws if the mint would be refused. */
export async function resolveLanguages(
  experienceId: string,
  revision: number,
  { endpoint, locale, secondaryLocale, acceptLanguage }: Visitor,
): Promise<{ locale: string; secondaryLocale?: string; because: string }> {
  const one = {
    door: endpoint,
    locale: locale || undefined,
    secondaryLocale: secondaryLocale || undefined,
    acceptLanguage: endpoint === 'server' ? undefined : acceptLanguage,
  } satisfies Sent<SimulatedCase>;
  const { results } = await request('POST /admin/experiences/{experienceId}/simulate', {
    params: { experienceId },
    body: { revision, cases: [one] },
  });
  const result = results[0]!;
  if ('error' in result)
    throw result.error.code === 'SECONDARY_LOCALE_REQUIRED'
      ? new SecondLanguageNeeded(previewTexts.needsSecond)
      : new Error(result.error.message);
  return result;
}

/**
 * The visitor of an experience. Only dual experiences have a second language; without a choice, it is the first one that the lessons teach
 * besides the default.
 */
export function visitorOf({ runtime: { languages, mind } }: Experience): Visitor {
  if (languages?.dual !== true) return { ...visitor.value, secondaryLocale: '' };
  const taught = (mind?.lessons ?? []).flatMap(({ say }) => Object.keys(say));
  const first = taught.find((tag) => tag !== (languages.default ?? 'en'));
  return { ...visitor.value, secondaryLocale: visitor.value.secondaryLocale || (first ?? '') };
}
