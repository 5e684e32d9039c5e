import type { ExperienceSummary } from '@session-launch/contract/admin/experience-schemas';
import { useId } from 'preact/hooks';
import { Time } from '../../parts/time.tsx';
import { may } from '../../state/me.ts';
import { hashOf } from '../../state/route.ts';
import { experiencesTexts as texts } from '../../texts/experiences.ts';
import type { Drag } from './drag.ts';
import { Menu, type MenuItem } from './row-menu.tsx';
import { Thumbnail } from './thumbnail.tsx';

interface RowProps {
  projectId: string;
  experience: ExperienceSummary;
  /** Whether its number of sessions is a lower bound. */
  isCounting: boolean;
  isFirst: boolean;
  isLast: boolean;
  drag: Drag;
  menu: readonly MenuItem[];
  onMove(step: -1 | 1): void;
}

/** One experience of the list. Alt and an arrow key move it from wherever the focus is in the row. */
export function ExperienceRow({
  projectId,
  experience,
  isCounting,
  isFirst,
  isLast,
  drag,
  menu,
  onMove,
}: RowProps) {
  const { experienceId, title, catalogReady, catalogMissing, sessionsToday } = experience;
  const id = useId();
  const address = (tab: string) => hashOf([projectId, 'experiences', experienceId, tab]);
  const isEditable = may('edit-experiences');
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isEditable || !event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    onMove(event.key === 'ArrowUp' ? -1 : 1);
  };
  const isDragged = drag.dragged.value === experienceId;
  const drop = drag.drop.value?.id === experienceId ? `drop-${drag.drop.value.side}` : '';
  return (
    <li
      class={`experience ${isDragged ? 'dragged' : ''} ${drop}`}
      data-id={experienceId}
      aria-labelledby={id}
      onKeyDown={onKeyDown}
    >
      {isEditable ? (
        <span class="mover">
          <span
            class="handle"
            title={texts.drag}
            aria-hidden="true"
            onPointerDown={(event) => drag.start(event, experienceId)}
          >
            ⠿
          </span>
          <Mover label={texts.moveUp} describedBy={id} isOff={isFirst} onPress={() => onMove(-1)}>
            ↑
          </Mover>
          <Mover label={texts.moveDown} describedBy={id} isOff={isLast} onPress={() => onMove(1)}>
            ↓
          </Mover>
        </span>
      ) : null}
      <Thumbnail {...experience} />
      <div class="name">
        <a id={id} href={address('setup')}>
          <bdi>{title}</bdi>
        </a>
        <p class="soft meta">
          <code>{experienceId}</code>
          <Changed {...experience} />
        </p>
      </div>
      <div class="condition">
        <State {...experience} />
        {catalogReady ? (
          <p class="soft">{texts.ready}</p>
        ) : isEditable ? (
          <p>
            <a href={address('gallery')}>{texts.missing(catalogMissing)}</a>
          </p>
        ) : (
          <p class="soft">{texts.missing(catalogMissing)}</p>
        )}
      </div>
      <p class="sessions number">{texts.today(sessionsToday, isCounting)}</p>
      <Menu label={texts.actionsOf(title)} items={menu}>
        ⋯
      </Menu>
    </li>
  );
}

/** Stays focusable at the ends of the list, so that the focus is not lost there. */
function Mover({
  label,
  describedBy,
  isOff,
  onPress,
  children,
}: {
  label: string;
  describedBy: string;
  isOff: boolean;
  onPress(): void;
  children: string;
}) {
  return (
    <button
      type="button"
      class="button plain"
      aria-label={label}
      aria-describedby={describedBy}
      aria-disabled={isOff}
      title={`${label}. ${texts.moveHelp}`}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

/** When and by whom it was changed last. Without a person, the service applied the file at its start. */
function Changed({ managedBy, source, updatedAt, updatedBy }: ExperienceSummary) {
  const how = [
    ...(managedBy === 'file' && updatedBy === 'file' ? [] : [texts.by(updatedBy)]),
    ...(managedBy === 'file' ? [texts.fromFile(source ?? texts.aFile)] : []),
  ];
  return (
    <span>
      {texts.updated} <Time at={updatedAt} /> {how.join(' ')}
    </span>
  );
}

/** Such as "published r4, draft r5". */
function State({ status, publishedRevision, latestRevision, hasDraft }: ExperienceSummary) {
  if (status === 'archived') return <p class="state soft">{texts.archived}</p>;
  return (
    <p class="state">
      {publishedRevision === undefined ? null : (
        <span class="good">{texts.published(publishedRevision)}</span>
      )}
      {publishedRevision !== undefined && hasDraft ? texts.and : null}
      {hasDraft ? <span class="warn">{texts.draft(latestRevision)}</span> : null}
    </p>
  );
}
