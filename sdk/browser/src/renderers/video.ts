import { make } from '../dom.ts';
import type { Renderer, RendererFactory } from '../types.ts';

/** Renderer for transports that deliver a video track. */
export const video: RendererFactory = {
  name: 'video',
  accepts: (_character, manifest) => manifest.transport.video === true,
  load:
    async () =>
    (host, _manifest, fit): Renderer => {
      const screen = make('video', { class: 'screen', autoplay: true, playsinline: true });
      // The attribute would only set the default.
      screen.muted = true;
      screen.style.objectFit = fit;
      host.append(screen);
      return {
        mode: () => {},
        video: (track) => {
          screen.srcObject = track && new MediaStream([track]);
        },
        destroy: () => {
          screen.srcObject = null;
          screen.remove();
        },
      };
    },
};
