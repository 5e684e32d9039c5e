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
const kinds = [
  ...['old', 'new', 'green', 'white', 'small', 'great', 'northern', 'southern', 'hidden', 'famous'],
  ...['wooden', 'broken', 'golden', 'silent', 'royal', 'crooked', 'painted', 'narrow', 'sunny', 'windy'],
];
/** The maximum number of topics of a script: with one answer each, every first question misses the speech cache. */
const subjects = kinds.flatMap((kind) => things.map((thing) => `${kind} ${thing}`));

/** A project with a script of many answers and limits that are never reached. */
function projectFile() {
  const topics = subjects.map((subject, n) => ({
    id: subject.replace(' ', '-'),
    ask: { en: questionAbout(subject) },
    tell: {
      en: `The ${subject} has been here for ${n + 60} years, and everybody in town knows it well. In the morning the fishermen meet beside the ${subject}. At night it is quiet there, and from the ${subject} you can hear the sea.`,
    },
  }));
  return {
    project: {
      id: 'prj_talk',
      name: 'Conversations',
      browserEmbeds: true,
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

const questionAbout = (subject: string) => `What do you know about the ${subject}?`;

/** The nth question. */
export const question = (n: number) => questionAbout(subjects[n % subjects.length]!);

export const experienceId = 'exp_talk';

/** A service with a scripted experience. */
export interface TalkingWorld {
  url: string;
  key: string;
  mint: Request;
  launches(count: number): Promise<Launch[]>;
  /** Returns a question that was not asked before, until all have been. */
  nextQuestion(): string;
}

export async function provisionTalk(contestant: Contestant): Promise<TalkingWorld> {
  await administer(contestant, '/admin/projects', projectFile());
  const { key } = await createKey(contestant, 'prj_talk');
  const mint = { ...serverMint(contestant.url, key), body: JSON.stringify({ experienceId, locale: 'en' }) };
  let asked = 0;
  return {
    url: contestant.url,
    key,
    mint,
    launches: (count) => mintMany(mint, count),
    nextQuestion: () => question(asked++),
  };
}
