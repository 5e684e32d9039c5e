import { ApiError } from './errors.ts';

/** A creator's setting for one language of an experience: follow the caller, or always this tag. */
export type Axis = 'match' | { fixed: string };

/** The languages of an experience, as stored in its revision. Tags are canonical. */
export interface Languages {
  dual: boolean;
  default: string;
  conversation: Axis;
  paired: Axis;
}

/** The locales that a mint requests. Tags are canonical. */
export interface RequestedLocales {
  locale?: string | undefined;
  secondaryLocale?: string | undefined;
  language?: string | undefined;
}

interface ResolvedLocales {
  locale: string;
  secondaryLocale?: string;
}

const maxTagLength = 64;
const maxCached = 1_000;
const maxAcceptedLanguages = 100;

/** Caches canonical tags: Intl takes microseconds per tag, and most mints use the same few. */
const cached = new Map<string, string | undefined>();

/** The canonical form of a BCP 47 tag, or `undefined` if it is ill-formed or names no language. */
export function canonicalLocale(tag: string): string | undefined {
  if (tag.length > maxTagLength) return undefined;
  if (cached.has(tag)) return cached.get(tag);
  const canonical = canonicalise(tag);
  if (cached.size >= maxCached) cached.clear();
  cached.set(tag, canonical);
  return canonical;
}

function canonicalise(tag: string): string | undefined {
  try {
    const canonical = Intl.getCanonicalLocales(tag)[0];
    // A canonical tag can be longer than the input (`sh` becomes `sr-Latn`), so it is validated again.
    if (canonical === undefined || canonical.length > maxTagLength) return undefined;
    return /^und(-|$)/.test(canonical) ? undefined : canonical;
  } catch {
    return undefined;
  }
}

/** The secondary locale from `secondaryLocale` and its alias `learningLocale` (both canonical). Throws if they disagree. */
export function agreedSecondary(
  secondaryLocale?: string | undefined,
  learningLocale?: string | undefined,
): string | undefined {
  if (secondaryLocale !== undefined && learningLocale !== undefined && secondaryLocale !== learningLocale) {
    throw new ApiError('LOCALE_CONFLICT', { details: { secondaryLocale, learningLocale } });
  }
  return secondaryLocale ?? learningLocale;
}

/**
 * Resolves the session's language and, for a dual experience, the paired one. `acceptLanguage` is the raw header, passed for browser and
 * public mints only.
 */
export function resolveLocales(
  languages: Languages,
  requested: RequestedLocales,
  acceptLanguage?: string | undefined,
): ResolvedLocales {
  if (!languages.dual) {
    const immersion = fixed(languages.conversation) ?? requested.secondaryLocale;
    return { locale: immersion ?? conversationLocale(languages, requested, acceptLanguage) };
  }
  const secondaryLocale = fixed(languages.paired) ?? requested.secondaryLocale;
  if (secondaryLocale === undefined) throw new ApiError('SECONDARY_LOCALE_REQUIRED');
  return { locale: conversationLocale(languages, requested, acceptLanguage), secondaryLocale };
}

function conversationLocale(languages: Languages, requested: RequestedLocales, acceptLanguage = ''): string {
  return (
    fixed(languages.conversation) ??
    requested.locale ??
    requested.language ??
    bestAcceptedLanguage(acceptLanguage) ??
    languages.default
  );
}

function fixed(axis: Axis): string | undefined {
  return axis === 'match' ? undefined : axis.fixed;
}

const acceptedLanguage = /^([a-z0-9-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i;

/** The canonical language with the highest weight in an `Accept-Language` header; the first of equal weights. */
export function bestAcceptedLanguage(header: string): string | undefined {
  let best: string | undefined;
  let bestWeight = 0;
  for (const part of header.split(',', maxAcceptedLanguages)) {
    const [, tag, weight] = acceptedLanguage.exec(part.trim()) ?? [];
    const q = Number(weight ?? 1);
    if (tag === undefined || q <= bestWeight) continue;
    const canonical = canonicalLocale(tag);
    if (canonical === undefined) continue;
    best = canonical;
    bestWeight = q;
  }
  return best;
}
