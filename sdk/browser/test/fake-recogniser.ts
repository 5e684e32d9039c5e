/** Follows the documented behaviour of Chromium: an `error` event, if any, then `end`, both asynchronously. */
export class FakeRecogniser extends EventTarget {
  static all: FakeRecogniser[] = [];
  lang = '';
  continuous = false;
  interimResults = false;
  isListening = false;

  start(): void {
    this.isListening = true;
    FakeRecogniser.all.push(this);
  }

  abort(): void {
    setTimeout(() => this.end('aborted'));
  }

  end(error?: string): void {
    if (!this.isListening) return;
    this.isListening = false;
    if (error !== undefined) this.dispatchEvent(Object.assign(new Event('error'), { error }));
    this.dispatchEvent(new Event('end'));
  }

  say(transcript: string, isFinal: boolean): void {
    const results = [Object.assign([{ transcript }], { isFinal })];
    this.dispatchEvent(Object.assign(new Event('result'), { resultIndex: 0, results }));
  }
}
