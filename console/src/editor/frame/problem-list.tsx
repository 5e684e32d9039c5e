import { Button } from '../../parts/button.tsx';
import { hashOf } from '../../state/route.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { parsePath } from '../document/path.ts';
import { tabOf } from '../document/tab-of.ts';
import { labelOf } from '../document/words.ts';
import type { Draft } from '../saving/draft.ts';
import { placeOf } from './place-of.ts';

interface ProblemListProps {
  draft: Draft;
  /** Moves the focus to the field at a path, once its tab is shown. */
  onFollow(path: string): void;
  onClose(): void;
}

/** The problems of the document, with links to their fields. */
export function ProblemList({ draft, onFollow, onClose }: ProblemListProps) {
  const problems = draft.problems.value;
  const document = draft.document.value;
  return (
    <section class="editor-problems" tabIndex={-1} aria-labelledby="problem-list-title">
      <div class="row spread">
        <h2 id="problem-list-title">{frameTexts.problems.title(problems.length)}</h2>
        <Button look="plain" onPress={onClose}>
          {frameTexts.problems.hide}
        </Button>
      </div>
      <ul>
        {problems.map(({ path, message }) => {
          const steps = parsePath(path);
          const href = hashOf([draft.projectId, 'experiences', draft.experienceId, tabOf(steps)]);
          return (
            <li key={`${path} ${message}`}>
              <a href={href} onClick={() => onFollow(path)}>
                {labelOf({ place: placeOf(steps, document) }, [document])}
              </a>{' '}
              {message}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
