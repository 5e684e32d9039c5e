import { type LimitName, limitNames } from './use.ts';

/** `null` means that there is no limit. */
type Limit = number | null;
type Limits = { [Name in LimitName]?: Limit };

/** A limit as it was typed, and the value that the service had when typing began. */
interface TypedLimit {
  text: string;
  base: Limit;
}

export type TypedLimits = { [Name in LimitName]?: TypedLimit | undefined };

/** A limit that was changed here and, after typing began, by another operator. */
export interface Clash {
  name: LimitName;
  base: Limit;
  mine: Limit;
  theirs: Limit;
}

export type Side = 'mine' | 'theirs';

function limitOf(text: string): Limit {
  return text.trim() === '' ? null : Number(text);
}

/** A limit after its text was changed; `undefined` if it has its saved value again. `now` is the limit of the service. */
export function retyped(typed: TypedLimit | undefined, text: string, now: Limit): TypedLimit | undefined {
  const { base } = typed ?? { base: now };
  return base === now && text === String(now ?? '') ? undefined : { text, base };
}

/** The typed limits that can be saved, and those that another operator changed, too. `now` are the limits of the service. */
export function compare(typed: TypedLimits, now: Limits): { changes: Limits; clashes: Clash[] } {
  const changes: Limits = {};
  const clashes: Clash[] = [];
  for (const name of limitNames) {
    const one = typed[name];
    if (one === undefined) continue;
    const [mine, theirs] = [limitOf(one.text), now[name] ?? null];
    if (mine === theirs) continue;
    if (theirs === one.base) changes[name] = mine;
    else clashes.push({ name, base: one.base, mine, theirs });
  }
  return { changes, clashes };
}

/** The typed limits after a choice for each clash. */
export function decided(
  typed: TypedLimits,
  clashes: readonly Clash[],
  choices: { [Name in LimitName]?: Side },
): TypedLimits {
  const chosen = clashes.map(({ name, theirs }) => {
    const one = typed[name];
    return [name, one && choices[name] === 'mine' ? { ...one, base: theirs } : undefined];
  });
  return { ...typed, ...Object.fromEntries(chosen) };
}

/** What was typed while `sent` was being saved. */
export function typedSince(sent: TypedLimits, typed: TypedLimits): TypedLimits {
  const rest = limitNames.map((name) => {
    const [before, now] = [sent[name], typed[name]];
    if (before === now) return [name, undefined];
    return [name, before && now ? { ...now, base: limitOf(before.text) } : now];
  });
  return Object.fromEntries(rest);
}
