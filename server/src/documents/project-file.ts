import { defaults, type Limits } from '@session-launch/contract/project-file/fields';
import type { WrittenProjectFile } from '@session-launch/contract/project-file/schema';
import type { Taxonomy } from '@session-launch/contract/project-file/taxonomy';
import { Document, visit } from 'yaml';
import { normaliseEntry } from '../origins/origin.ts';
import { type Axis, canonicalLocale, type Languages } from '../primitives/locale.ts';
import { knownTransport } from '../transports/known.ts';
import { type DataToCheck, FileData } from './file-data.ts';
import { normaliseMind } from './mind.ts';
import { PlainData } from './plain-data.ts';
import { ProjectFileError } from './problem.ts';
import type { Runtime } from './revision.ts';
import { matchesSchema, schemaProblems } from './schema-checks.ts';
import { semanticProblems } from './semantic-checks.ts';
import { parseText } from './syntax.ts';

export type ProjectFileFormat = 'yaml' | 'json';

/** A project file with defaults filled in and values normalised. */
export interface ProjectFile {
  project: Project;
  experiences: Experience[];
}

export interface Project {
  id: string;
  name: string;
  browserEmbeds: boolean;
  allowedOrigins: string[];
  limits: Limits;
}

export interface Experience {
  id: string;
  slug: string;
  title: string;
  sortOrder: number;
  status: 'draft' | 'published' | 'archived';
  public: boolean;
  allowedOrigins: string[];
  avatarId?: string;
  thumbnailPath?: string;
  galleryThumb?: { avatarImage: string; backgroundImage: string };
  description?: string;
  taxonomy?: Taxonomy;
  runtime: Runtime;
}

/** Parses a project file, or throws a ProjectFileError that lists every problem. */
export function parseProjectFile(text: string, format: ProjectFileFormat = 'yaml'): ProjectFile {
  return checked(new FileData(parseText(text, format)));
}

/** Checks and normalises a project file that arrived as parsed JSON. Throws like `parseProjectFile`. Changes its argument. */
export function checkProjectFile(file: unknown): ProjectFile {
  return checked(new PlainData(file));
}

/** A normalised project file, or `undefined` if it has a problem. Stops at the first problem. Changes its argument. */
export function validProjectFile(file: unknown): ProjectFile | undefined {
  const data = new PlainData(file);
  if (data.problems.length > 0 || !matchesSchema(data.value)) return undefined;
  const stopping = Object.assign(data, {
    problem: () => {
      throw new ProjectFileError([]);
    },
  });
  try {
    semanticProblems(stopping);
  } catch (error) {
    if (error instanceof ProjectFileError) return undefined;
    throw error;
  }
  return normalise(data.value as WrittenProjectFile);
}

function checked(file: DataToCheck): ProjectFile {
  const problems = [...file.problems, ...schemaProblems(file), ...semanticProblems(file)];
  if (problems.length > 0) throw new ProjectFileError(problems);
  return normalise(file.value as WrittenProjectFile);
}

/** Serialises a project file; parsing the result returns the same file. */
export function serialiseProjectFile(file: ProjectFile, format: ProjectFileFormat): string {
  if (format === 'json') return `${JSON.stringify(file, null, 2)}\n`;
  const { experiences, ...others } = file;
  if (!Array.isArray(experiences) || experiences.length === 0) return yamlOf(file);
  // One experience at a time: the syntax tree of a text takes about forty times its memory.
  const items = experiences.map((experience) =>
    yamlOf({ experiences: [experience] }).slice(listStart.length),
  );
  return [yamlOf(others), listStart, ...items].join('');
}

const listStart = 'experiences:\n';

function yamlOf(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && needsQuotes.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
}

/** Strings to write in double quotes: with invisible characters or line breaks, and the merge key of YAML 1.1. */
const needsQuotes = /[\p{C}\p{Zl}\p{Zp}]|^<<$/u;

type WrittenExperience = NonNullable<WrittenProjectFile['experiences']>[number];

function normalise({ project, experiences = [] }: WrittenProjectFile): ProjectFile {
  return {
    project: {
      id: project.id,
      name: project.name,
      browserEmbeds: project.browserEmbeds ?? false,
      allowedOrigins: entries(project.allowedOrigins),
      limits: inOrder<Limits>(defaults.limits, project.limits),
    },
    experiences: experiences.map(normaliseExperience),
  };
}

function normaliseExperience(written: WrittenExperience): Experience {
  const { avatarId, thumbnailPath, galleryThumb, description } = written;
  const taxonomy = normaliseTaxonomy(written.taxonomy);
  return {
    id: written.id,
    slug: written.slug,
    title: written.title,
    sortOrder: written.sortOrder ?? defaults.sortOrder,
    status: written.status ?? defaults.status,
    public: written.public ?? false,
    allowedOrigins: entries(written.allowedOrigins),
    ...(avatarId === undefined ? {} : { avatarId }),
    ...(thumbnailPath === undefined ? {} : { thumbnailPath }),
    ...(galleryThumb === undefined
      ? {}
      : {
          galleryThumb: {
            avatarImage: galleryThumb.avatarImage,
            backgroundImage: galleryThumb.backgroundImage,
          },
        }),
    ...(description === undefined ? {} : { description }),
    ...(taxonomy === undefined ? {} : { taxonomy }),
    runtime: normaliseRuntime(written.runtime),
  };
}

/** The categories in a fixed order, each use case once; `undefined` if there are none. */
function normaliseTaxonomy(written: Taxonomy = {}): Taxonomy | undefined {
  const { purpose, interactionMode, domain, universe, era } = written;
  const useCases = written.useCases?.length ? [...new Set(written.useCases)] : undefined;
  const all = { useCases, purpose, interactionMode, domain, universe, era };
  const present = Object.entries(all).filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : (Object.fromEntries(present) as Taxonomy);
}

const optionalFields = ['avatarId', 'thumbnailPath', 'galleryThumb', 'description', 'taxonomy'] as const;

/** An experience as the database returns it, where absent fields are null. */
export function withoutNulls(experience: Experience): Experience {
  for (const field of optionalFields) {
    if (experience[field] === null) delete experience[field];
  }
  return experience;
}

function normaliseRuntime(written: WrittenExperience['runtime']): Runtime {
  const { location, transport } = written;
  const languages = inOrder<Languages>(defaults.languages, written.languages);
  return {
    mode: written.mode ?? defaults.mode,
    speechInputMode: written.speechInputMode ?? defaults.speechInputMode,
    languages: {
      dual: languages.dual,
      default: locale(languages.default),
      conversation: axis(languages.conversation),
      paired: axis(languages.paired),
    },
    characters: written.characters.map(({ characterId, name, voice, avatar }) => ({
      characterId,
      name,
      ...(voice === undefined ? {} : { voice }),
      ...(avatar === undefined ? {} : { avatar }),
    })),
    ...(location === undefined ? {} : { location }),
    transport: knownTransport(transport).normalise(transport),
    limits: inOrder<Runtime['limits']>(defaults.sessionLimits, written.limits),
    ...(written.mind === undefined ? {} : { mind: normaliseMind(written.mind) }),
  };
}

function inOrder<T extends object>(byDefault: T, written: Partial<T> | undefined): T {
  return { ...byDefault, ...written };
}

function entries(written: readonly string[] = []): string[] {
  return [...new Set(written.map((text) => validEntry(normaliseEntry(text))))];
}

function validEntry(result: ReturnType<typeof normaliseEntry>): string {
  if ('problem' in result) throw new Error('an origin was normalised before it was validated');
  return result.entry;
}

function axis(written: Axis): Axis {
  return written === 'match' ? 'match' : { fixed: locale(written.fixed) };
}

function locale(tag: string): string {
  const canonical = canonicalLocale(tag);
  if (canonical === undefined) throw new Error('a language tag was normalised before it was validated');
  return canonical;
}
