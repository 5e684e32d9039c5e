/** Follows the documented behaviour of Chromium: an `error` event, if any, then `end`, both asynchronously. */
export class FakeRecogniser extends EventTarget {
  static all: FakeRecogniser[] = [];
  lang = '';
  continuous = false;
  interimResults = false;
  isListening = false;
  isStopped = false;

  start(): void {
    this.isListening = true;
    FakeRecogniser.all.push(this);
  }

  /** The test sends the last result and calls `end`. */
  stop(): void {
    this.isStopped = true;
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
    this.hear(0, [transcript, isFinal]);
  }

  /** Fires `result` with a list of results, of which those from `resultIndex` on are new. */
  hear(resultIndex: number, ...heard: [transcript: string, isFinal: boolean][]): void {
    const results = heard.map(([transcript, isFinal]) => Object.assign([{ transcript }], { isFinal }));
    this.dispatchEvent(Object.assign(new Event('result'), { resultIndex, results }));
  }
}
