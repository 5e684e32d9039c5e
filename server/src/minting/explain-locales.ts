import {
  type Axis,
  bestAcceptedLanguage,
  type Languages,
  type RequestedLocales,
} from '../primitives/locale.ts';

/** Explains in words why `resolveLocales` returns its result for these inputs. */
export function explainLocales(
  languages: Languages,
  requested: RequestedLocales,
  acceptLanguage: string | undefined,
): string {
  const { dual, conversation, paired } = languages;
  if (!dual) {
    const { secondaryLocale } = requested;
    return conversation === 'match' && secondaryLocale !== undefined
      ? `The request asked for ${secondaryLocale} in secondaryLocale and the axis is Match.`
      : whyConversation(languages, requested, acceptLanguage);
  }
  const whyPaired =
    fixed(paired) ?? `The request asked for ${requested.secondaryLocale} and the axis is Match.`;
  return `Conversation: ${whyConversation(languages, requested, acceptLanguage)} Paired: ${whyPaired}`;
}

function whyConversation(
  { conversation, default: byDefault }: Languages,
  { locale, language }: RequestedLocales,
  acceptLanguage = '',
): string {
  const isFixed = fixed(conversation);
  if (isFixed !== undefined) return isFixed;
  if (locale !== undefined) return `The request asked for ${locale} and the axis is Match.`;
  if (language !== undefined) return `The request selected language ${language} and the axis is Match.`;
  const accepted = bestAcceptedLanguage(acceptLanguage);
  if (accepted !== undefined) return `The browser prefers ${accepted} and the axis is Match.`;
  return `The request names no language, so the default applies: ${byDefault}.`;
}

function fixed(axis: Axis): string | undefined {
  return axis === 'match' ? undefined : `Fixed to ${axis.fixed}.`;
}
