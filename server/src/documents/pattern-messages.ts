import { patterns } from '@session-launch/contract/project-file/patterns';
import { agentNamePattern } from '@session-launch/contract/transports/livekit';
import { websocketAddress } from '@session-launch/contract/transports/websocket';
import { canonicalLocale } from '../primitives/locale.ts';
import { quoted } from './problem.ts';

const explanations: Record<string, (text: string) => string> = {
  [patterns.projectId]: (text) => explainId(text, 'prj_'),
  [patterns.experienceId]: (text) => explainId(text, 'exp_'),
  [patterns.characterId]: (text) => explainName(text, 'ines'),
  [patterns.mindId]: (text) => explainName(text, 'ferries'),
  [patterns.slug]: (text) => {
    const rule = 'must be words of a-z and 0-9, joined by "-"';
    return `${quoted(text)} ${rule}${suggestion(slugFrom(text), 'cafe-in-lisbon')}`;
  },
  [patterns.notBlank]: () => 'is blank; write at least one visible character',
  [patterns.toolUrl]: (text) =>
    `${quoted(text)} is not a web address; write one without spaces, such as "https://booking.example.com/tools/book"`,
  [patterns.avatarPath]: (text) => explainAssetPath(text, 'avatars'),
  [patterns.locationPath]: (text) => explainAssetPath(text, 'locations'),
  [agentNamePattern]: (text) =>
    `${quoted(text)} must be 1 to 64 letters, digits, "_", "." or "-", and begin with a letter or digit`,
  [websocketAddress]: (text) => {
    const [, rest] = /^https?:\/\/(\S+)$/i.exec(text) ?? [];
    const example = rest === undefined ? 'wss://runtime.example.com/session' : `wss://${rest}`;
    return `${quoted(text)} is not a websocket address; write one without spaces, such as ${quoted(example)}`;
  },
};

/** Explains why a text does not match a pattern, and what to write instead. */
export function explainPattern(pattern: string, text: string): string {
  return explanations[pattern]?.(text) ?? `${quoted(text)} must match ${pattern}`;
}

/** Explains that a text is not a language tag, and what to write instead. */
export function explainLanguageTag(text: string): string {
  const repaired = canonicalLocale(text.trim().replaceAll('_', '-'));
  const fix = repaired === undefined ? 'write one such as en or pt-PT' : `try "${repaired}"`;
  return `${quoted(text)} is not a BCP 47 language tag; ${fix}`;
}

/** Checks the percent-decoded path against the same pattern. */
export function problemInDecodedPath(path: string, pattern: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return `${quoted(path)} has a "%" that starts no valid escape; write %25 for a percent sign`;
  }
  return new RegExp(pattern, 'u').test(decoded) ? undefined : explainPattern(pattern, path);
}

function explainName(text: string, example: string): string {
  return `${quoted(text)} must be 1 to 64 letters, digits, "_" or "-"${suggestion(idPart(text), example)}`;
}

function explainId(text: string, prefix: string): string {
  const better = idPart(text.replace(/^[a-z]{3}_/, ''), 60);
  const example = prefix === 'prj_' ? 'prj_demo' : 'exp_cafe';
  const rule = `must be "${prefix}" and then 1 to 64 letters, digits, "_" or "-"`;
  return `${quoted(text)} ${rule}${suggestion(better && prefix + better, example)}`;
}

function explainAssetPath(text: string, folder: string): string {
  const rule = `must start with /${folder}/ and name a file there, without "..", "//", "\\", "?" or "#"`;
  return `${quoted(text)} ${rule}; for example /${folder}/${folder === 'avatars' ? 'ines/thumb' : 'cafe/wide'}.svg`;
}

function suggestion(better: string, example: string): string {
  return better === '' ? `; for example "${example}"` : `; try "${better}"`;
}

function slugFrom(text: string): string {
  return withoutAccents(text)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '');
}

function idPart(text: string, length = 64): string {
  return withoutAccents(text)
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, length)
    .replace(/^-+|-+$/g, '');
}

function withoutAccents(text: string): string {
  return text.slice(0, 200).normalize('NFKD').replace(/\p{M}/gu, '');
}
