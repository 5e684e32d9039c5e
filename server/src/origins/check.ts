import type { OriginCheck, OriginCheckResult } from '@session-launch/contract/admin/origins';
import { allows, entriesCovering, nearMiss, normaliseEntry, parseOrigin, serialised } from './origin.ts';

/** The settings that decide which pages can mint. */
export interface PageSettings {
  project: { browserEmbeds: boolean; allowedOrigins: string[] };
  /** Absent: no experience was named. */
  experience?: {
    status: 'draft' | 'published' | 'archived';
    public: boolean;
    allowedOrigins: string[];
  };
  /** Whether an origin is that of the service itself and the project is the demo, which it may always launch. */
  isOwnPage(origin: string): boolean;
}

/** Runs the checks of mints from pages for an origin, or for the URL of a page, and describes the result of each in words. */
export function checkOrigin(
  text: string,
  { project, experience, isOwnPage }: PageSettings,
): OriginCheckResult {
  const { normalised, problem } = readOrigin(text);
  const valid = originValid(text, normalised, problem);
  const embeds = embedsOn(project.browserEmbeds);
  const published = experience === undefined ? [] : [experiencePublished(experience.status)];
  const origin = normalised ?? text;
  const ofProject = isOwnPage(origin) ? ownPage : originListed('project', project.allowedOrigins, origin);
  const ofExperience =
    experience === undefined ? [] : [originListed('experience', experience.allowedOrigins, origin)];
  return {
    ...(normalised === undefined ? {} : { normalised }),
    ...(problem === undefined ? {} : { problem }),
    doors: {
      browser: resultOf([valid, embeds, ofProject, ...published]),
      public: resultOf([valid, experiencePublic(experience), embeds, ...ofExperience, ...published]),
    },
  };
}

function resultOf(checks: OriginCheck[]): OriginCheckResult['doors']['browser'] {
  return { allowed: checks.every(({ ok }) => ok), checks };
}

const wildcard =
  'A "*" stands for many origins; enter the origin of one page, such as https://www.example.com';

/** The origin that browsers send for this text, and why it names none or cannot be on an allowlist. */
function readOrigin(text: string): { normalised?: string; problem?: string } {
  if (text.includes('*')) return { problem: sentence(wildcard) };
  const normalised = parseOrigin(serialised(text.trim()) ?? '');
  const entry = normaliseEntry(normalised ?? text);
  if (normalised === undefined)
    return { problem: sentence('problem' in entry ? entry.problem : 'this is not the origin of a page') };
  return { normalised, ...('problem' in entry ? { problem: sentence(entry.problem) } : {}) };
}

function sentence(problem: string): string {
  return `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`;
}

function originValid(text: string, normalised?: string, problem?: string): OriginCheck {
  const check = 'origin-valid';
  if (normalised === undefined) return { check, ok: false, why: problem ?? 'This is not an origin.' };
  const why =
    normalised === text ? 'Browsers send exactly this origin.' : `Browsers send this as ${normalised}.`;
  return { check, ok: true, why };
}

function embedsOn(ok: boolean): OriginCheck {
  const why = ok
    ? 'Browser embeds are switched on for the project.'
    : 'Browser embeds are switched off for the project, so no page can create sessions.';
  return { check: 'embeds-on', ok, why };
}

function experiencePublic(experience: PageSettings['experience']): OriginCheck {
  const check = 'experience-public';
  if (experience === undefined)
    return { check, ok: false, why: 'Choose an experience: each has its own allowlist for public embeds.' };
  const ok = experience.public;
  return { check, ok, why: ok ? 'The experience is public.' : 'The experience is not public.' };
}

function experiencePublished(status: 'draft' | 'published' | 'archived'): OriginCheck {
  const why = {
    published: 'The experience is published.',
    draft: 'The experience is not published, so pages cannot launch it.',
    archived: 'The experience is archived, so it cannot be launched.',
  }[status];
  return { check: 'experience-published', ok: status === 'published', why };
}

const ownPage: OriginCheck = {
  check: 'origin-listed',
  ok: true,
  why: 'This is the service itself, whose landing page may launch the demo.',
};

function originListed(of: 'project' | 'experience', entries: readonly string[], origin: string): OriginCheck {
  const check = 'origin-listed';
  if (allows(entries, origin)) {
    const entry = entriesCovering(origin).find((one) => entries.includes(one));
    const why =
      entry === origin
        ? `It is on the allowlist of the ${of}.`
        : `The entry ${entry} on the allowlist of the ${of} covers it.`;
    return { check, ok: true, why };
  }
  const hint = nearMiss(entries, origin);
  const why = `It is not on the allowlist of the ${of}.`;
  return { check, ok: false, why: hint === undefined ? why : `${why} ${hint}` };
}
