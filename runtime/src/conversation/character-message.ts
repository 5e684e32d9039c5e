import type { Said } from '../mind/mind.ts';
import { joined } from '../sentences.ts';
import type { Outbox } from './outbox.ts';

/** The text of a message, and the part of it that was played. */
export interface Outcome {
  said: string;
  heard: string;
}

/** A message of a character that grows piece by piece. Sends its `message` events. */
export class CharacterMessage<Piece extends Said> {
  readonly id: string;
  readonly pieces: Piece[] = [];
  readonly #outbox: Outbox;
  readonly #isDual: boolean;

  /** `isDual`: the session has two languages, so that events state the language of each part. */
  constructor(outbox: Outbox, id: string, isDual: boolean) {
    this.#outbox = outbox;
    this.id = id;
    this.#isDual = isDual;
  }

  add(piece: Piece): void {
    this.pieces.push(piece);
    this.#send('partial');
  }

  /** Replaces the text of a piece whose transcript is still arriving. */
  extend(piece: Piece, text: string): void {
    if (text.trim() === piece.text) return;
    piece.text = text.trim();
    this.#send('partial');
  }

  /** Sends the final message, unless it is empty. */
  end(heard: string, interrupted: boolean): Outcome {
    if (this.pieces.length > 0) this.#send('final', interrupted ? { interrupted, heard } : {});
    return { said: this.text, heard };
  }

  get text(): string {
    return joined(this.pieces.map(({ text }) => text));
  }

  #send(status: 'partial' | 'final', more: { interrupted?: true; heard?: string } = {}): void {
    const { characterId } = this.pieces.at(-1)!;
    const spans = this.#isDual ? { spans: spansOf(this.pieces) } : {};
    const { text } = this;
    this.#outbox.send({
      ...{ type: 'message', id: this.id, role: 'character', characterId, status, text },
      ...more,
      ...spans,
    });
  }
}

/** Groups text by language; consecutive pieces in one language form one span. */
export function spansOf(pieces: readonly Said[]): { locale: string; text: string }[] {
  const spans: { locale: string; texts: string[] }[] = [];
  for (const { locale, text } of pieces) {
    const last = spans.at(-1);
    if (last?.locale === locale) last.texts.push(text);
    else spans.push({ locale, texts: [text] });
  }
  return spans.map(({ locale, texts }) => ({ locale, text: joined(texts) }));
}
