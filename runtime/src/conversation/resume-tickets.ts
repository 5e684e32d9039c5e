/**
 * The resume tickets of a session. A resume issues a new ticket, but the one that was used stays valid until the client is known to have
 * the new one: if the connection is cut before `ready` arrives, the client has only the old one.
 */
export class ResumeTickets {
  readonly #create: () => string;
  #current: string;
  #previous: string | undefined;

  constructor(create: () => string) {
    this.#create = create;
    this.#current = create();
  }

  /** The ticket for the next `ready`. */
  get current(): string {
    return this.#current;
  }

  accepts(ticket: string): boolean {
    return ticket === this.#current || ticket === this.#previous;
  }

  /** The client resumes with an accepted ticket. If it uses the previous one, it gets the current one again. */
  use(ticket: string): void {
    if (ticket !== this.#current) return;
    this.#previous = ticket;
    this.#current = this.#create();
  }

  /** The client has received the current ticket. */
  received(): void {
    this.#previous = undefined;
  }
}
