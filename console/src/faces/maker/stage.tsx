import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Figure } from '../../../../sdk/browser/src/renderers/figure.ts';
import type { SpeechCue } from '../../../../sdk/browser/src/types/plug-ins.ts';
import { facesTexts } from '../../texts/editor/faces.ts';
import type { DrawnFace } from '../drawing/face.ts';
import { imageOf } from './image.ts';
import { svgElement } from './svg-element.ts';

interface StageProps {
  face: DrawnFace;
  /** The name of the character. */
  name: string;
  /** What the face says. */
  speech: SpeechCue | undefined;
}

/** The face as players draw it: it blinks, breathes and speaks. */
export function Stage({ face, name, speech }: StageProps) {
  const host = useRef<HTMLDivElement>(null);
  const figure = useRef<Figure | undefined>(undefined);
  const said = useRef(speech);
  said.current = speech;
  useLayoutEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const drawing = svgElement(face.full);
    drawing.setAttribute('width', '100%');
    drawing.setAttribute('height', '100%');
    drawing.setAttribute('preserveAspectRatio', 'xMidYMin slice');
    root.replaceChildren(drawing);
    figure.current = new Figure(drawing, face.rig);
    if (said.current !== undefined) figure.current.hear(said.current);
  }, [face]);
  useEffect(() => {
    if (speech !== undefined) figure.current?.hear(speech);
  }, [speech]);
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
  return (
    <div class="maker-stage">
      <img src={imageOf(face.backdrop)} alt="" />
      <div ref={host} role="img" aria-label={facesTexts.maker.stage(name)} />
    </div>
  );
}
