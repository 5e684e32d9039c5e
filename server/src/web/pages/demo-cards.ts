import type { GalleryEntry } from '@session-launch/contract/gallery';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Directory } from '../../content/directory.ts';
import type { Runtime } from '../../documents/revision.ts';

/** The project of examples/demo.yaml. */
export const demoProjectId = 'prj_demo';

/** One experience of the demo project on the landing page. */
export interface DemoCard {
  title: string;
  experienceId: string;
  slug: string;
  badges: string[];
  /** The names of the characters; empty if there are none. */
  names: string;
  /** Absent when the experience has no gallery fields. */
  art?: { background: string; avatar: string };
  description?: string | undefined;
  taxonomy?: GalleryEntry['taxonomy'];
  /** Languages to choose from, if the visitor must select the paired one. */
  paired?: { tag: string; name: string }[];
}

/** Created on first use: loading language names takes tens of milliseconds. */
let names: Intl.DisplayNames | undefined;

/** The published experiences of the demo project, the only catalog that is shown without a key. */
export async function demoCards(
  deps: { catalog: Catalog; directory: Directory },
  projectId: string,
): Promise<DemoCard[]> {
  const entries = await deps.catalog.published(projectId);
  return Promise.all(entries.map((entry) => card(deps.directory, entry)));
}

async function card(directory: Directory, entry: GalleryEntry): Promise<DemoCard> {
  const { title, experienceId, slug, galleryThumb, description, taxonomy } = entry;
  const runtime = (await directory.experience(experienceId))?.revision.runtime;
  return {
    title,
    experienceId,
    slug,
    description,
    taxonomy,
    names: runtime?.characters.map((character) => character.name).join(' and ') ?? '',
    badges: runtime === undefined ? [] : [modeBadge(runtime), languageBadge(runtime)],
    ...(runtime?.languages.dual && runtime.languages.paired === 'match'
      ? { paired: lessonsOf(runtime) }
      : {}),
    ...(galleryThumb === null
      ? {}
      : { art: { background: galleryThumb.backgroundImage, avatar: galleryThumb.avatarImage } }),
  };
}

/** The languages in which a dual experience has lessons. */
function lessonsOf({ mind }: Runtime): { tag: string; name: string }[] {
  const tags = new Set((mind?.lessons ?? []).flatMap(({ say }) => Object.keys(say)));
  return [...tags].map((tag) => ({ tag, name: spoken(tag) })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function modeBadge({ mode }: Runtime): string {
  return mode === 'presenter' ? 'Presenter' : 'Conversation';
}

function languageBadge({ languages }: Runtime): string {
  const { dual, conversation, paired } = languages;
  if (dual) return paired === 'match' ? 'Paired with any language' : `Paired with ${spoken(paired.fixed)}`;
  return conversation === 'match' ? 'Any language' : `Always ${spoken(conversation.fixed)}`;
}

function spoken(tag: string): string {
  names ??= new Intl.DisplayNames(['en'], { type: 'language' });
  return names.of(tag) ?? tag;
}
