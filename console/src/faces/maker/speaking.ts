import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SpeechCue } from '../../../../sdk/browser/src/types/plug-ins.ts';
import { play } from '../../voices/play.ts';
import { samples } from '../../voices/samples.ts';

/** An included voice of a character, and factors of its pitch and speed. */
export interface SampleVoice {
  voice: string;
  pitch: number;
  rate: number;
}

/** Milliseconds from the end of the sample to its repetition. */
const pauseMs = 900;

interface Speaking {
  isOn: Signal<boolean>;
  /** What is being said, for a figure. */
  speech: Signal<SpeechCue | undefined>;
}

/** Repeats the sample of a voice while it is switched on. */
export function useSpeaking({ voice, pitch, rate }: SampleVoice): Speaking {
  const isOn = useSignal(false);
  const speech = useSignal<SpeechCue | undefined>(undefined);
  const sample = samples[voice] ?? samples.slt!;
  useEffect(() => {
    if (!isOn.value) return;
    const stop = new AbortController();
    const repeat = async () => {
      const sound = (await sample.sound()).default;
      while (!stop.signal.aborted) {
        await play(sound, {
          pitch,
          rate,
          signal: stop.signal,
          onStart: (clock) => {
            speech.value = { type: 'speech', characterId: '', cues: sample.cues, clock };
          },
        });
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    };
    // Without sound, such as without a device, the face is silent.
    repeat().catch(() => {
      isOn.value = false;
    });
    return () => stop.abort();
  }, [isOn.value, voice, pitch, rate]);
  return { isOn, speech };
}
