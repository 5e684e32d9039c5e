import type { SimulatedCase, SimulationResult } from '@session-launch/contract/admin/simulation';
import { ApiError } from '../primitives/errors.ts';
import { type Languages, resolveLocales } from '../primitives/locale.ts';
import { explainLocales } from './explain-locales.ts';
import { readFromBackend, readFromPage } from './mint-request.ts';

/** The languages that a mint request would get, read and resolved as a mint does, or the error that it would get. */
export function simulate(
  languages: Languages,
  { door: endpoint, acceptLanguage, ...fields }: SimulatedCase,
): SimulationResult {
  const isPage = endpoint !== 'server';
  try {
    const body = { experienceId: 'exp_simulated', ...fields };
    const { locales } = isPage ? readFromPage(body) : readFromBackend(body);
    const header = isPage ? acceptLanguage : undefined;
    return {
      ...resolveLocales(languages, locales, header),
      because: explainLocales(languages, locales, header),
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { error: { code: error.code, message: error.message } };
  }
}
