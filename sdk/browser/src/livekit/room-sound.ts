import { analyserOf, loudness } from '../audio/meter.ts';

/** Plays the audio tracks of a room through the page's AudioContext, which the player unblocks and measures. */
export class RoomSound {
  readonly #audio: AudioContext | undefined;
  readonly #gain: GainNode | undefined;
  readonly #analyser: AnalyserNode | undefined;
  readonly #playing = new Map<MediaStreamTrack, { stop(): void }>();
  #volume = 1;

  /** The browser may have no AudioContext. */
  constructor(audio: AudioContext | undefined) {
    this.#audio = audio;
    if (!audio) return;
    this.#gain = audio.createGain();
    // Metered before the gain: renderers animate by the level, independent of the volume.
    this.#analyser = analyserOf(audio);
    this.#analyser.connect(this.#gain).connect(audio.destination);
  }

  add(track: MediaStreamTrack): void {
    if (this.#playing.has(track)) return;
    const stream = new MediaStream([track]);
    // Chromium decodes a remote track only while an element plays it (crbug.com/933677).
    const element = new Audio();
    element.srcObject = stream;
    element.muted = this.#audio !== undefined;
    element.volume = this.#volume;
    element.play().catch(() => {});
    const source = this.#audio?.createMediaStreamSource(stream);
    source?.connect(this.#analyser!);
    this.#playing.set(track, {
      stop: () => {
        source?.disconnect();
        element.srcObject = null;
      },
    });
  }

  remove(track: MediaStreamTrack): void {
    this.#playing.get(track)?.stop();
    this.#playing.delete(track);
  }

  setVolume(volume: number): void {
    this.#volume = volume;
    this.#gain?.gain.setTargetAtTime(volume, this.#audio!.currentTime, 0.015);
  }

  level(): number {
    return this.#analyser ? loudness(this.#analyser) : 0;
  }

  close(): void {
    for (const track of [...this.#playing.keys()]) this.remove(track);
    this.#analyser?.disconnect();
    this.#gain?.disconnect();
  }
}
