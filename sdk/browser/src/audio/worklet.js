// Runs on the audio thread. Resampling and encoding are done on the main thread, so that `process` returns in time.

/** Processor that runs until it receives 'stop'. While `process` returns true, the browser does not release the node. */
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

/** Plays the received chunks in order and posts the playback position. */
class Playback extends Stoppable {
  constructor() {
    super();
    this.queue = [];
    this.at = 0;
    this.blocks = 0;
  }

  /** Queues a chunk of samples. Without samples, drops the queued chunks of utterance `id`, or all chunks if `data` is null. */
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
    // Posts the position about ten times per second.
    if (++this.blocks * out.length > sampleRate / 10 && this.queue.length > 0) {
      this.blocks = 0;
      this.tell(this.queue[0], false);
    }
    return this.isWanted;
  }
}

/** Posts the samples of the microphone. */
class Capture extends Stoppable {
  process([input]) {
    if (input[0]) this.port.postMessage(input[0].slice());
    return this.isWanted;
  }
}

registerProcessor('session-playback', Playback);
registerProcessor('session-capture', Capture);
