import { useSignal } from '@preact/signals';
import type { ExperienceSummary } from '@session-launch/contract/admin/experience-schemas';

/** The URL of a picture of the service, on the listener that serves the console. */
export function pictureUrl(path: string, width = 320): string {
  const url = new URL(`..${path}`, document.baseURI);
  url.searchParams.set('w', String(width));
  return url.href;
}

type Pictures = Partial<Pick<ExperienceSummary, 'thumbnailPath' | 'galleryThumb'>>;

/** The picture of an experience as galleries show it, or the first letter of its title. */
export function Thumbnail({ title, thumbnailPath, galleryThumb }: Pictures & { title: string }) {
  const failed = useSignal<readonly string[]>([]);
  const url = (path: string | undefined) => {
    const address = path === undefined ? undefined : pictureUrl(path);
    return address === undefined || failed.value.includes(address) ? undefined : address;
  };
  const layers = [url(galleryThumb?.backgroundImage), url(galleryThumb?.avatarImage ?? thumbnailPath)];
  const shown = layers[1] === undefined ? [url(thumbnailPath)] : layers;
  const pictures = shown.flatMap((src) => src ?? []);
  return (
    <span class="thumbnail" aria-hidden="true">
      {pictures.length === 0 ? <span>{initial(title)}</span> : null}
      {pictures.map((src) => (
        <img
          key={src}
          src={src}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => {
            failed.value = [...failed.value, src];
          }}
        />
      ))}
    </span>
  );
}

const graphemes = new Intl.Segmenter();

function initial(title: string): string {
  const [first] = graphemes.segment(title.trim());
  return (first?.segment ?? '').toUpperCase();
}
