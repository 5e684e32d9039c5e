// Runs on the audio thread. All arithmetic is done before and after it, so that nothing here can be late.

/** Works until it is told to stop: one that never says so is never let go. */
class Stoppable extends AudioWorkletProcessor {
  constructor() {
    super();
    this.isWanted = true;
    this.port.onmessage = ({ data }) => {
      if (data === 'stop') this.isWanted = false;
      else this.take(data);
    };
  }
}

/** Plays what it is handed, piece after piece, and says how far it is. */
class Playback extends Stoppable {
  constructor() {
    super();
    this.queue = [];
    this.at = 0;
    this.blocks = 0;
  }

  /** A piece; or what is dropped: one utterance, or with null all. */
  take(data) {
    if (data?.samples) return void this.queue.push(data);
    const [first] = this.queue;
    this.queue = data ? this.queue.filter(({ id }) => id !== data.id) : [];
    if (this.queue[0] !== first) this.at = 0;
  }

  tell(piece, done) {
    this.port.postMessage({ id: piece.id, at: piece.from + this.at, time: currentTime, done });
  }

  process(_inputs, [output]) {
    const out = output[0];
    let filled = 0;
    while (filled < out.length && this.queue.length > 0) {
      const piece = this.queue[0];
      if (this.at === 0 && piece.from === 0) this.tell(piece, false);
      const count = Math.min(out.length - filled, piece.samples.length - this.at);
      out.set(piece.samples.subarray(this.at, this.at + count), filled);
      filled += count;
      this.at += count;
      if (this.at < piece.samples.length) continue;
      if (piece.last) this.tell(piece, true);
      this.queue.shift();
      this.at = 0;
    }
    // About ten times a second.
    if (++this.blocks * out.length > sampleRate / 10 && this.queue.length > 0) {
      this.blocks = 0;
      this.tell(this.queue[0], false);
    }
    return this.isWanted;
  }
}

/** Hands on what the microphone hears. */
class Capture extends Stoppable {
  process([input]) {
    if (input[0]) this.port.postMessage(input[0].slice());
    return this.isWanted;
  }
}

registerProcessor('session-playback', Playback);
registerProcessor('session-capture', Capture);
