import { Button } from '../../../parts/button.tsx';
import { galleryTexts } from '../../../texts/editor/gallery.ts';
import { parsePath } from '../../document/path.ts';
import type { Draft } from '../../saving/draft.ts';

type Needed = keyof typeof galleryTexts.missing;

/** Whether galleries show the experience, and the missing fields, with a button that leads to each. */
export function Readiness({ draft }: { draft: Draft }) {
  const missing = (Object.keys(galleryTexts.missing) as Needed[]).filter(
    (path) => draft.at(parsePath(path)) === undefined,
  );
  if (missing.length === 0)
    return (
      <div class="readiness good-edge" role="status">
        <h2>{galleryTexts.ready}</h2>
        <p class="soft">{galleryTexts.readyText}</p>
      </div>
    );
  return (
    <div class="readiness" role="status">
      <h2>{galleryTexts.notReady}</h2>
      <p class="soft">{galleryTexts.notReadyText}</p>
      <ul>
        {missing.map((path) => (
          <li key={path}>
            <Button look="plain" onPress={() => goTo(path)}>
              {galleryTexts.missing[path]}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function goTo(path: Needed): void {
  const field = document.querySelector(`[data-path="${path}"]`);
  field?.scrollIntoView({ block: 'center' });
  field?.querySelector<HTMLElement>('button, input')?.focus({ preventScroll: true });
}
