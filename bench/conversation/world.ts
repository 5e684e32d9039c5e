import type { Contestant } from '../contestant.ts';
import { type Launch, mintMany } from '../runtimes.ts';
import { administer, createKey, farLimits, type Request, serverMint } from '../world.ts';

const things = [
  'ferry',
  'lighthouse',
  'anchor',
  'market',
  'bridge',
  'chapel',
  'garden',
  'tower',
  'wharf',
  'crane',
];
/** Every answer is a new one, so that none has been spoken before. */
const tellings = 40;

/** A script with many answers, in a project whose limits are far away. */
function projectFile(allowedOrigins: readonly string[]) {
  const topics = things.map((thing) => ({
    id: thing,
    ask: { en: questionAbout(thing) },
    words: { en: [thing] },
    tell: {
      en: Array.from(
        { length: tellings },
        (_, n) =>
          `The ${thing} has been here for ${n + 60} years, and everybody in town knows it well. In the morning the fishermen meet beside it. At night it is quiet there, and you can hear the sea.`,
      ),
    },
  }));
  return {
    project: {
      id: 'prj_talk',
      name: 'Conversations',
      browserEmbeds: true,
      allowedOrigins,
      limits: farLimits,
    },
    experiences: [
      {
        id: 'exp_talk',
        slug: 'talk',
        title: 'A talk by the harbor',
        status: 'published',
        runtime: {
          characters: [{ characterId: 'maren', name: 'Maren', avatar: { avatarId: 'maren' } }],
          transport: { type: 'websocket' },
          mind: { greeting: { en: 'Good morning, and welcome to the harbor.' }, topics },
        },
      },
    ],
  };
}

const questionAbout = (thing: string) => `What do you know about the ${thing}?`;

/** The nth thing that somebody asks. */
export const question = (n: number) => questionAbout(things[n % things.length]!);

export const experienceId = 'exp_talk';

/** A service that has something to talk about. */
export interface TalkingWorld {
  url: string;
  key: string;
  mint: Request;
  launches(count: number): Promise<Launch[]>;
}

export async function provisionTalk(
  contestant: Contestant,
  allowedOrigins: readonly string[] = [],
): Promise<TalkingWorld> {
  await administer(contestant, '/admin/projects', projectFile(allowedOrigins));
  const { key } = await createKey(contestant, 'prj_talk');
  const mint = { ...serverMint(contestant.url, key), body: JSON.stringify({ experienceId, locale: 'en' }) };
  return { url: contestant.url, key, mint, launches: (count) => mintMany(mint, count) };
}
