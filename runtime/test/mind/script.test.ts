import type { Mind } from '@session-launch/contract/project-file/mind';
import { describe, expect, test } from 'vitest';
import { scriptedMind } from '../../src/mind/script/script.ts';
import { harbor, openDialogue } from './harbor.ts';

describe('topics', () => {
  test.each([
    'When do the ferries leave?',
    'WHEN DO THE FERRIES LEAVE',
    'is there a boat to the island?',
    'when does the next fery leave',
    'timetable please',
  ])('%s', async (question) => {
    expect(await openDialogue(harbor).say(question)).toBe('At every full hour.');
  });

  test('accents and case do not matter, and the nearest locale of the language serves', async () => {
    const spanish = openDialogue(harbor, { locale: 'es-MX' });
    expect(await spanish.open()).toBe('¡Buenos días!');
    expect(await spanish.say('cuando salen los TRANSBORDADORES')).toBe('Cada hora en punto.');
  });

  test('a language that the script does not have is answered in one that it has', async () => {
    expect(await openDialogue(harbor, { locale: 'nl' }).open()).toBe('Good morning!');
  });

  test('asked again, another telling comes', async () => {
    const maren = openDialogue(harbor);
    expect(await maren.say('ferry')).toBe('At every full hour.');
    expect(await maren.say('ferry')).toBe('The first one leaves at six.');
    expect(await maren.say('ferry')).toBe('At every full hour.');
  });

  test('no variant comes twice in a row', async () => {
    const maren = openDialogue(harbor);
    let last = '';
    for (let i = 0; i < 10; i++) {
      const said = await maren.say('What is the capital of Mongolia?');
      expect(said).not.toBe(last);
      expect(said).toMatch(/harbor stor/);
      last = said;
    }
  });

  test('words that stand in many questions do not decide', async () => {
    expect(await openDialogue(harbor).say('Why do the gulls scream so?')).toBe('They are hungry.');
    expect(await openDialogue(harbor).say('why do you like the')).toMatch(/harbor stor/);
  });
});

describe('memory', () => {
  test('a name', async () => {
    const maren = openDialogue(harbor);
    expect(await maren.say('What is my name?')).toBe('You have not told me your name yet.');
    expect(await maren.say('My name is Ada')).toMatch(/^(Nice to meet you|A pleasure), Ada\./);
    expect(await maren.say("what's my name?")).toContain('Ada');
  });

  test('the last topic, and what it leads to', async () => {
    const maren = openDialogue(harbor);
    await maren.say('ferry');
    expect(await maren.say('where were we?')).toContain('When do the ferries leave?');
    expect(await maren.say('yes')).toBe('Two meters.');
  });

  test('more of the last topic', async () => {
    const maren = openDialogue(harbor);
    await maren.say('tide');
    expect(await maren.say('tell me more')).toMatch(/^(That is all I know|There is no more)/);
    await maren.say('ferry');
    expect(await maren.say('tell me more')).toBe('The first one leaves at six.');
  });

  test('repeats what it said', async () => {
    const maren = openDialogue(harbor);
    await maren.say('ferry');
    expect(await maren.say('Could you repeat that?')).toBe('At every full hour.');
  });

  test('speaks more slowly from then on, and says it again', async () => {
    const maren = openDialogue(harbor);
    await maren.say('ferry');
    expect(maren.dialogue.pace).toBe(1);
    expect(await maren.say('slower please')).toBe('Of course, I will speak more slowly. At every full hour.');
    expect(maren.dialogue.pace).toBeLessThan(1);
    await maren.say('too slow');
    expect(maren.dialogue.pace).toBe(1);
  });

  test('no is taken', async () => {
    const maren = openDialogue(harbor);
    await maren.say('ferry');
    expect(await maren.say('no')).toMatch(/^(All right|As you like)/);
  });

  test('what nobody heard was not told', async () => {
    const maren = openDialogue(harbor);
    for await (const _ of maren.dialogue.answer('ferry', new AbortController().signal));
    maren.dialogue.remember('At every full hour.', '');
    expect(await maren.say('ferry')).toBe('At every full hour.');
  });
});

test('suggestions are topics still untold, what leads on first', async () => {
  const maren = openDialogue(harbor);
  const texts = () => maren.dialogue.suggestions().map(({ text }) => text);
  expect(texts()).toEqual([
    'When do the ferries leave?',
    'How high is the tide?',
    'Why do the gulls scream?',
    'Do you know a riddle?',
  ]);
  await maren.say('gulls');
  expect(texts()).not.toContain('Why do the gulls scream?');
  await maren.say('ferry');
  expect(texts()[0]).toBe('How high is the tide?');
});

describe('honesty', () => {
  test.each(['Are you an AI?', 'are you a real person', 'Tell me, are you human?'])(
    '%s',
    async (question) => {
      expect(await openDialogue(harbor).say(question)).toMatch(/AI character.*script/);
    },
  );

  test('in the language of the session', async () => {
    expect(await openDialogue(harbor, { locale: 'es' }).say('¿Eres un robot?')).toMatch(/personaje de IA/);
    expect(await openDialogue({}, { locale: 'ja' }).say('あなたはAIですか')).toContain('AIのキャラクター');
    expect(await openDialogue({}, { locale: 'de' }).say('Bist du ein Mensch?')).toContain('KI-Figur');
    expect(await openDialogue({}, { locale: 'fr' }).say('Es-tu une IA ?')).toContain('personnage d’IA');
  });

  test('a script without a fallback says that it does not know, and what it knows', async () => {
    const { fallback: _, ...rest } = harbor;
    expect(await openDialogue(rest).say('Who won the war of the roses?')).toMatch(
      /only know.*When do the ferries leave\?$/,
    );
  });
});

describe('a thread: a topic that names itself as what comes next', () => {
  test('its tellings are steps; what nobody understands moves it on', async () => {
    const maren = openDialogue(harbor);
    expect(await maren.say('a riddle please')).toBe('What has teeth but cannot bite?');
    expect(await maren.say('a horse')).toBe('Not quite. It lives in your bathroom.');
    expect(await maren.say('a toothbrush')).toBe('It was a comb!');
    expect(await maren.say('a toothbrush')).toMatch(/harbor stor/);
  });

  test('what stands inside is recognised there and nowhere else', async () => {
    const maren = openDialogue(harbor);
    expect(await maren.say('a comb')).toMatch(/harbor stor/);
    await maren.say('riddle');
    expect(await maren.say('Is it a comb?')).toBe('A comb it is!');
  });

  test('it is suggested only inside, by its first question', async () => {
    const maren = openDialogue(harbor);
    const texts = () => maren.dialogue.suggestions().map(({ text }) => text);
    expect(texts()).not.toContain('I give up');
    await maren.say('riddle');
    expect(texts()[0]).toBe('I give up');
    expect(texts()).not.toContain('A comb');
  });

  test('another topic ends it, and asked for again it starts at the first step', async () => {
    const maren = openDialogue(harbor);
    await maren.say('riddle');
    await maren.say('a horse');
    await maren.say('ferry');
    expect(await maren.say('riddle')).toBe('What has teeth but cannot bite?');
  });
});

test('several characters: lines belong to whom they name, and who is addressed answers', async () => {
  const characters = [
    { characterId: 'wren', name: 'Wren', voice: {} },
    { characterId: 'pip', name: 'Pip', voice: {} },
  ] as const;
  const duo = openDialogue(
    {
      topics: [
        {
          id: 'fern',
          ask: { en: 'What is a fern?' },
          tell: { en: 'A green friend.\nPip: And a tasty one!' },
        },
      ],
    },
    { characters: [...characters] },
  );
  expect(await duo.pieces('fern')).toEqual([
    { text: 'A green friend.', locale: 'en', characterId: 'wren' },
    { text: 'And a tasty one!', locale: 'en', characterId: 'pip' },
  ]);
  const [first] = await duo.pieces('Pip, who are you?');
  expect(first).toEqual({ text: 'I am Pip.', locale: 'en', characterId: 'pip' });
});

describe('a telling that ends with a question', () => {
  const [yes, no] = ['for thirty', 'too much'];
  const market: Mind = {
    topics: [
      // biome-ignore lint/suspicious/noThenProperty: the word that authors write
      { id: 'price', ask: { en: 'What do they cost?' }, tell: { en: 'Thirty. Deal?' }, then: [yes, no] },
      { id: yes, ask: { en: 'Thirty it is' }, tell: { en: 'Sold.' } },
      // biome-ignore lint/suspicious/noThenProperty: the word that authors write
      { id: no, ask: { en: 'That is too much' }, tell: { en: 'Twenty-five?' }, then: ['price', 'over'] },
      { id: 'over', ask: { en: 'Nothing today' }, tell: { en: 'Tomorrow, then.' } },
    ],
  };

  test('yes takes the first way, no the second', async () => {
    const stall = openDialogue(market);
    await stall.say('What do they cost?');
    expect(await stall.say('yes')).toBe('Sold.');
    await stall.say('What do they cost?');
    expect(await stall.say('no')).toBe('Twenty-five?');
    expect(await stall.say('no')).toBe('Tomorrow, then.');
    expect(await stall.say('no')).toMatch(/All right|As you like/);
  });
});

test('a question with a greeting before it is that question', async () => {
  const maren = openDialogue({
    topics: [{ id: 'self', ask: { en: 'Who are you?' }, tell: { en: 'I knot ropes.' } }],
  });
  expect(await maren.say('Hello, who are you?')).toBe('I knot ropes.');
});

describe('a script is prepared once', () => {
  const prepared = () => {
    let times = 0;
    const topic = {
      id: 'ferry',
      ask: {
        en: 'When does the ferry leave?',
        'en-GB': 'When does the ferry leave?',
        es: '¿Cuándo sale el ferry?',
      },
      tell: { en: 'At nine.', 'en-GB': 'At nine, sharp.', es: 'A las nueve.' },
    };
    const topics = [topic];
    // Only the preparation of a script calls `filter` on its topics.
    topics.filter = (...args: Parameters<typeof topics.filter>) => {
      times++;
      return Array.prototype.filter.apply(topics, args);
    };
    const mind = scriptedMind(() => 0);
    const begin = (revision: string, locale = 'en') => openDialogue({ topics }, { revision, locale }, mind);
    return { begin, times: () => times };
  };

  test('for all sessions of its revision, and anew for another revision or another of its locales', async () => {
    const { begin, times } = prepared();
    for (const maren of [begin('exp_harbor 1'), begin('exp_harbor 1')])
      expect(await maren.say('When does the ferry leave?')).toBe('At nine.');
    expect(times()).toBe(1);
    begin('exp_harbor 2');
    expect(times()).toBe(2);
    expect(await begin('exp_harbor 1', 'en-GB').say('ferry')).toBe('At nine, sharp.');
    expect(await begin('exp_harbor 1', 'es-MX').say('ferry')).toBe('A las nueve.');
    expect(times()).toBe(4);
  });

  test('whatever tags sessions make up', async () => {
    const { begin, times } = prepared();
    const tags = ['en', 'en-x-a1', 'en-AU', 'en-Qaaa-QZ', 'en-u-ca-buddhist', 'en-Latn', 'tlh', 'zu-ZA'];
    for (const tag of tags)
      expect(await begin('exp_harbor 1', tag).say('When does the ferry leave?')).toBe('At nine.');
    expect(times()).toBe(1);
  });
});
