/** The parts of Web Audio that a conversation uses. The test takes the role of the audio thread. */
export class FakeWorkletNode {
  readonly port: { onmessage: ((event: { data: object }) => void) | null; postMessage(data: unknown): void };

  constructor(audio: FakeAudio) {
    this.port = { onmessage: null, postMessage: (data) => audio.posted.push(data) };
    audio.progress = (data) => this.port.onmessage?.({ data });
  }

  connect<T>(next: T): T {
    return next;
  }

  disconnect(): void {}
}

export class FakeAudio {
  state = 'suspended';
  readonly sampleRate = 16_000;
  currentTime = 0;
  readonly posted: unknown[] = [];
  progress: (data: object) => void = () => {};

  createGain(): object {
    return { connect: () => {}, disconnect: () => {}, gain: { setTargetAtTime: () => {} } };
  }

  createAnalyser(): object {
    return {};
  }
}
