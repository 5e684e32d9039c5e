import type { Renderer, RendererFactory } from '../types.ts';

/** Renderer for transports that deliver a video track. */
export const video: RendererFactory = {
  name: 'video',
  accepts: (_character, manifest) => manifest.transport.video === true,
  load:
    async () =>
    (host, _manifest, fit): Renderer => {
      const screen = document.createElement('video');
      screen.className = 'screen';
      screen.autoplay = true;
      screen.muted = true;
      screen.playsInline = true;
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
