import type { Said } from '../mind/mind.ts';
import { joined } from '../sentences.ts';

/** Groups the text of a message by language; consecutive pieces in one language form one span. */
export function spansOf(pieces: readonly Said[]): { locale: string; text: string }[] {
  const spans: { locale: string; texts: string[] }[] = [];
  for (const { locale, text } of pieces) {
    const last = spans.at(-1);
    if (last?.locale === locale) last.texts.push(text);
    else spans.push({ locale, texts: [text] });
  }
  return spans.map(({ locale, texts }) => ({ locale, text: joined(texts) }));
}
