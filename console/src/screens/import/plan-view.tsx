import type {
  Planned,
  ProjectFileProblem,
  Overwritten as Undone,
} from '@session-launch/contract/admin/apply';
import type { FieldChange } from '@session-launch/contract/admin/changes';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { may } from '../../state/me.ts';
import { hashOf } from '../../state/route.ts';
import { importTexts as texts } from '../../texts/import.ts';
import { type ChangeGroup, type ChosenFile, groups, inWords, overwritten } from './plan.ts';

interface PlanProps {
  projectId: string;
  experiences: readonly { experienceId: string; title: string }[];
  file: ChosenFile;
  plan: Planned;
  isOutdated?: true;
}

type Titles = ReadonlyMap<string, string>;

const titlesOf = (experiences: PlanProps['experiences']): Titles =>
  new Map(experiences.map(({ experienceId, title }) => [experienceId, title]));

/** What a file would change and what it would undo. */
export function PlanView({ projectId, experiences, file, plan, isOutdated }: PlanProps) {
  const titles = titlesOf(experiences);
  const found = groups(plan);
  return (
    <div class="stack plan">
      {isOutdated ? <p class="warning">{texts.conflict}</p> : null}
      {plan.version === 0 ? <p class="warning">{texts.newProject(plan.projectId)}</p> : null}
      {plan.version > 0 && plan.projectId !== projectId ? (
        <p class="warning">{texts.otherProject(plan.projectId)}</p>
      ) : null}
      {plan.overwrote.length === 0 ? null : (
        <div class="warning stack" role="alert">
          <h3>{texts.overwrites}</h3>
          <Overwritten overwrote={plan.overwrote} titles={titles} />
          <p>{texts.overwritesText}</p>
        </div>
      )}
      <h3>{texts.plan(file.name)}</h3>
      {found.length === 0 ? <p>{texts.nothing}</p> : null}
      {found.map((group) => (
        <Group key={group.experienceId ?? ''} group={group} titles={titles} />
      ))}
      {found.length > 0 && !may('manage-projects') ? <p class="warning">{texts.ownerOnly}</p> : null}
    </div>
  );
}

interface AppliedProps {
  experiences: PlanProps['experiences'];
  /** The project of the file. */
  projectId: string;
  file: ChosenFile;
  overwrote: readonly Undone[];
}

/** Changes that were saved after the plan was made, and that applying the file has undone. */
export function AppliedView({ experiences, projectId, file, overwrote }: AppliedProps) {
  return (
    <div class="warning stack" role="alert">
      <h3>{texts.alsoOverwrote}</h3>
      <p>{texts.alsoOverwroteText(file.name)}</p>
      <Overwritten overwrote={overwrote} titles={titlesOf(experiences)} projectId={projectId} />
      <p>{texts.restore}</p>
    </div>
  );
}

interface OverwrittenProps {
  overwrote: readonly Undone[];
  titles: Titles;
  /** If given, each entry has a link to where its values can be found. */
  projectId?: string;
}

/** Changes that people made in the console and that a file undoes. */
function Overwritten({ overwrote, titles, projectId }: OverwrittenProps) {
  return (
    <ul class="overwritten">
      {overwritten(overwrote).map(({ experienceId, by, at, paths }) => (
        <li key={`${experienceId} ${by}`}>
          <strong>
            {experienceId === undefined ? (
              texts.project
            ) : (
              <bdi>{titles.get(experienceId) ?? experienceId}</bdi>
            )}
          </strong>
          {texts.changedBy} <strong>{by}</strong> <Time at={at} />
          <p>
            {paths.slice(0, maxPaths).map(inWords).join(', ')}
            {paths.length > maxPaths ? ` ${texts.more(paths.length - maxPaths)}` : ''}
          </p>
          {projectId === undefined ? null : <History projectId={projectId} experienceId={experienceId} />}
        </li>
      ))}
    </ul>
  );
}

function History({ projectId, experienceId }: { projectId: string; experienceId: string | undefined }) {
  return experienceId === undefined ? (
    <a href={hashOf([projectId, 'activity'])}>{texts.openActivity}</a>
  ) : (
    <a href={hashOf([projectId, 'experiences', experienceId, 'revisions'])}>{texts.openRevisions}</a>
  );
}

/** Fields of one experience that are named before the rest is only counted. */
const maxPaths = 8;

/** Changes of one experience shown before the rest is only counted. */
const maxShown = 50;

function Group({ group, titles }: { group: ChangeGroup; titles: Titles }) {
  const { experienceId, title, isNew, revision, changes } = group;
  const notes = [
    ...(isNew ? [texts.newExperience] : []),
    ...(revision === undefined ? [] : [texts.revision(revision.revision, revision.publishes)]),
    ...(changes.length === 0 ? [] : [texts.changes(changes.length)]),
  ];
  return (
    <details open={changes.length > 0 && changes.length <= 10}>
      <summary>
        {experienceId === undefined ? (
          texts.project
        ) : (
          <bdi>{title ?? titles.get(experienceId) ?? experienceId}</bdi>
        )}{' '}
        <span class="soft">{notes.join(', ')}</span>
      </summary>
      {changes.length === 0 ? null : (
        <Table
          caption={experienceId ?? texts.project}
          rows={changes.slice(0, maxShown)}
          keyOf={({ path }) => path}
          columns={[
            { title: texts.field, isName: true, cell: ({ path }) => inWords(path) },
            { title: texts.before, cell: ({ before }) => <Value value={before} /> },
            { title: texts.after, cell: ({ after }) => <Value value={after} /> },
          ]}
        />
      )}
      {changes.length > maxShown ? <p class="soft">{texts.more(changes.length - maxShown)}</p> : null}
    </details>
  );
}

const longest = 240;

function Value({ value }: { value: FieldChange['before'] }) {
  if (value === undefined) return <span class="soft">{texts.none}</span>;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return <bdi class="value">{text.length > longest ? `${text.slice(0, longest)}…` : text}</bdi>;
}

/** What is wrong with a file, line by line. */
export function Problems({ file, problems }: { file: ChosenFile; problems: readonly ProjectFileProblem[] }) {
  const lines = file.text.split('\n');
  return (
    <div class="stack" role="alert">
      <h3>{texts.problems(problems.length)}</h3>
      <ol class="problem-list">
        {problems.map(({ line, path, message }, index) => (
          <li key={index}>
            <strong>{line === undefined ? texts.wholeFile : texts.line(line)}</strong>{' '}
            {line === undefined ? null : (
              <code class="source">{lines[line - 1]?.trim().slice(0, longest)}</code>
            )}
            <p>
              {path === '' ? null : <code>{path}</code>} {message}
            </p>
          </li>
        ))}
      </ol>
      <p>{texts.problemsText}</p>
    </div>
  );
}
