import { useEffect, useRef } from 'preact/hooks';
import { PictureFace, PictureFigure } from '../../../../sdk/browser/src/renderers/picture/picture.ts';
import type { SpeechCue } from '../../../../sdk/browser/src/types/plug-ins.ts';
import { pictureTexts as texts } from '../../texts/editor/picture.ts';
import { type Handles, rigOf } from './handles.ts';
import { silentSample } from './silent-sample.ts';
import { type View, wholePicture } from './view.ts';

/** Milliseconds without a change of the handles after which the preview follows. */
const settleMs = 60;

interface PreviewProps {
  picture: HTMLCanvasElement;
  view: View;
  handles: Handles;
  name: string;
  /** What the face says aloud; otherwise it moves its mouth silently. */
  speech: SpeechCue | undefined;
}

/** The picture as players move it. */
export function Preview({ picture, view, handles, name, speech }: PreviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const figure = useRef<PictureFigure | undefined>(undefined);
  const said = useRef<SpeechCue | undefined>(undefined);
  useEffect(() => {
    const silent = speech === undefined ? silentSample() : undefined;
    said.current = speech ?? silent!.cue;
    figure.current?.hear(said.current);
    return () => silent?.stop();
  }, [speech]);
  useEffect(() => {
    const build = () => {
      const face = new PictureFace(canvas.current!, picture, rigOf(handles, 'full.jpg'));
      figure.current = new PictureFigure(canvas.current!, face);
      figure.current.hear(said.current!);
    };
    if (figure.current === undefined) return build();
    const timer = setTimeout(build, settleMs);
    return () => clearTimeout(timer);
  }, [picture, handles]);
  useEffect(() => {
    const still = matchMedia('(prefers-reduced-motion: reduce)');
    let frame = 0;
    let drawnAt = 0;
    const draw = () => {
      frame = requestAnimationFrame(draw);
      const now = performance.now() / 1000;
      figure.current?.draw(now, Math.min(0.1, now - drawnAt), undefined, still.matches);
      drawnAt = now;
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, []);
  const isWhole = view === wholePicture;
  return (
    <div
      class="picture-preview"
      role="img"
      aria-label={texts.preview(name)}
      style={{ aspectRatio: String((view.width * picture.width) / (view.height * picture.height)) }}
    >
      <canvas
        ref={canvas}
        style={{
          width: `${100 / view.width}%`,
          left: isWhole ? '0' : `${(-100 * view.left) / view.width}%`,
          top: isWhole ? '0' : `${(-100 * view.top) / view.height}%`,
        }}
      />
    </div>
  );
}
