import type { Answer } from '@session-launch/testing/http.ts';
import type { Target } from '@session-launch/testing/target.ts';

const text = [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 64">',
  '<g id="body"><g id="head"><g id="eyes"/><path id="mouth" d="M20 32h8"/></g><g transform="rotate(3)" id="tilted"/></g>',
  '</svg>',
].join('');

/** A drawing with the parts of `drawingRig`. */
export const drawing = (comment = ''): Buffer => Buffer.from(`${text}<!--${comment}-->`);

export const drawingRig = {
  rig: 1,
  image: 'full.svg',
  head: { parts: ['head'], pivot: [24, 38], maxTilt: 4 },
  eyes: { pupils: 'eyes', blink: { scaleY: 0.1, about: 22 }, look: [1, 1] },
  mouth: {
    replace: 'mouth',
    at: [24, 32],
    width: 4,
    height: 4,
    smile: 1,
    colors: { lip: '#8e3b34', inside: '#5a1f22', teeth: '#fff6ec', tongue: '#d65a5a' },
    style: 'soft',
  },
  breathe: { part: 'body', scaleY: 1.01, seconds: 4 },
};

export const pictureRig = {
  rig: 2,
  image: 'full.jpg',
  eyes: { left: [0.4, 0.4], right: [0.6, 0.4] },
  mouth: { left: [0.42, 0.6], middle: [0.5, 0.61], right: [0.58, 0.6] },
  chin: [0.5, 0.75],
};

interface FaceUpload {
  full?: Buffer | string;
  thumb?: Buffer | string;
  rig?: object;
  name?: string;
}

/** Uploads a face: a drawing, unless other files are given. */
export function uploadFace(
  service: Pick<Target, 'admin'>,
  projectId: string,
  { full = drawing(), thumb = drawing(), rig = drawingRig, ...rest }: FaceUpload = {},
): Promise<Answer> {
  const encoded = (file: Buffer | string) => (typeof file === 'string' ? file : file.toString('base64'));
  return service.admin({
    method: 'POST',
    path: `/admin/projects/${projectId}/faces`,
    body: { full: encoded(full), thumb: encoded(thumb), rig, ...rest },
  });
}
