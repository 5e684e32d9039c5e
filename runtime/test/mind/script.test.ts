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

  test('matching ignores accents and case, and uses the nearest locale of the language', async () => {
    const spanish = openDialogue(harbor, { locale: 'es-MX' });
    expect(await spanish.open()).toBe('¡Buenos días!');
    expect(await spanish.say('cuando salen los TRANSBORDADORES')).toBe('Cada hora en punto.');
  });

  test('a language that the script lacks is answered in one that it has', async () => {
    expect(await openDialogue(harbor, { locale: 'nl' }).open()).toBe('Good morning!');
  });

  test('a repeated question gets another answer', async () => {
    const maren = openDialogue(harbor);
    expect(await maren.say('ferry')).toBe('At every full hour.');
    expect(await maren.say('ferry')).toBe('The first one leaves at six.');
    expect(await maren.say('ferry')).toBe('At every full hour.');
  });

  test('no answer variant is used twice in a row', async () => {
    const maren = openDialogue(harbor);
    let last = '';
    for (let i = 0; i < 10; i++) {
      const said = await maren.say('What is the capital of Mongolia?');
      expect(said).not.toBe(last);
      expect(said).toMatch(/harbor stor/);
      last = said;
    }
  });

  test('words that occur in many questions have little weight', async () => {
    expect(await openDialogue(harbor).say('Why do the gulls scream so?')).toBe('They are hungry.');
    expect(await openDialogue(harbor).say('why do you like the')).toMatch(/harbor stor/);
  });
});

describe('memory', () => {
  test('the user’s name is remembered', async () => {
    const maren = openDialogue(harbor);
    expect(await maren.say('What is my name?')).toBe('You have not told me your name yet.');
    expect(await maren.say('My name is Ada')).toMatch(/^(Nice to meet you|A pleasure), Ada\./);
    expect(await maren.say("what's my name?")).toContain('Ada');
  });

  test('the last topic and its follow-up are remembered', async () => {
    const maren = openDialogue(harbor);
    await maren.say('ferry');
    expect(await maren.say('where were we?')).toContain('When do the ferries leave?');
    expect(await maren.say('yes')).toBe('Two meters.');
  });

  test('a request for more continues the last topic', async () => {
    const maren = openDialogue(harbor);
    await maren.say('tide');
    expect(await maren.say('tell me more')).toMatch(/^(That is all I know|There is no more)/);
    await maren.say('ferry');
    expect(await maren.say('tell me more')).toBe('The first one leaves at six.');
  });

  test('a request to repeat repeats the last answer', async () => {
    const maren = openDialogue(harbor);
    await maren.say('ferry');
    expect(await maren.say('Could you repeat that?')).toBe('At every full hour.');
  });

  test('a request to slow down slows speech from then on, and repeats the answer', async () => {
    const maren = openDialogue(harbor);
    await maren.say('ferry');
    expect(maren.dialogue.pace).toBe(1);
    expect(await maren.say('slower please')).toBe('Of course, I will speak more slowly. At every full hour.');
    expect(maren.dialogue.pace).toBeLessThan(1);
    await maren.say('too slow');
    expect(maren.dialogue.pace).toBe(1);
  });

  test('no is accepted after an offer', async () => {
    const maren = openDialogue(harbor);
    await maren.say('ferry');
    expect(await maren.say('no')).toMatch(/^(All right|As you like)/);
  });

  test('an answer that was not played counts as not given', async () => {
    const maren = openDialogue(harbor);
    for await (const _ of maren.dialogue.answer('ferry', new AbortController().signal));
    maren.dialogue.remember('At every full hour.', '');
    expect(await maren.say('ferry')).toBe('At every full hour.');
  });
});

test('suggestions are topics not yet covered, follow-ups first', async () => {
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

  test('answers are in the language of the session', async () => {
    expect(await openDialogue(harbor, { locale: 'es' }).say('¿Eres un robot?')).toMatch(/personaje de IA/);
    expect(await openDialogue({}, { locale: 'ja' }).say('あなたはAIですか')).toContain('AIのキャラクター');
    expect(await openDialogue({}, { locale: 'de' }).say('Bist du ein Mensch?')).toContain('KI-Figur');
    expect(await openDialogue({}, { locale: 'fr' }).say('Es-tu une IA ?')).toContain('personnage d’IA');
  });

  test('a script without a fallback says that it does not know, and names a topic that it knows', async () => {
    const { fallback: _, ...rest } = harbor;
    expect(await openDialogue(rest).say('Who won the war of the roses?')).toMatch(
      /only know.*When do the ferries leave\?$/,
    );
  });
});

describe('a thread: a topic that names itself as its follow-up', () => {
  test('its answers are steps; unrecognised input advances it', async () => {
    const maren = openDialogue(harbor);
    expect(await maren.say('a riddle please')).toBe('What has teeth but cannot bite?');
    expect(await maren.say('a horse')).toBe('Not quite. It lives in your bathroom.');
    expect(await maren.say('a toothbrush')).toBe('It was a comb!');
    expect(await maren.say('a toothbrush')).toMatch(/harbor stor/);
  });

  test('topics inside a thread are recognised only while it is active', async () => {
    const maren = openDialogue(harbor);
    expect(await maren.say('a comb')).toMatch(/harbor stor/);
    await maren.say('riddle');
    expect(await maren.say('Is it a comb?')).toBe('A comb it is!');
  });

  test('a topic inside a thread is suggested only there, by its first question', async () => {
    const maren = openDialogue(harbor);
    const texts = () => maren.dialogue.suggestions().map(({ text }) => text);
    expect(texts()).not.toContain('I give up');
    await maren.say('riddle');
    expect(texts()[0]).toBe('I give up');
    expect(texts()).not.toContain('A comb');
  });

  test('another topic ends it, and asking again restarts it at the first step', async () => {
    const maren = openDialogue(harbor);
    await maren.say('riddle');
    await maren.say('a horse');
    await maren.say('ferry');
    expect(await maren.say('riddle')).toBe('What has teeth but cannot bite?');
  });
});

test('with several characters, lines go to the named character, and the addressed one answers', async () => {
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

describe('an answer that ends with a question', () => {
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

  test('continues with the first option on yes and the second on no', async () => {
    const stall = openDialogue(market);
    await stall.say('What do they cost?');
    expect(await stall.say('yes')).toBe('Sold.');
    await stall.say('What do they cost?');
    expect(await stall.say('no')).toBe('Twenty-five?');
    expect(await stall.say('no')).toBe('Tomorrow, then.');
    expect(await stall.say('no')).toMatch(/All right|As you like/);
  });
});

test('a question that starts with a greeting is matched as the question', async () => {
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

  test('for all sessions of its revision, and again for another revision or locale', async () => {
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

  test('independently of unusual language tags of sessions', async () => {
    const { begin, times } = prepared();
    const tags = ['en', 'en-x-a1', 'en-AU', 'en-Qaaa-QZ', 'en-u-ca-buddhist', 'en-Latn', 'tlh', 'zu-ZA'];
    for (const tag of tags)
      expect(await begin('exp_harbor 1', tag).say('When does the ferry leave?')).toBe('At nine.');
    expect(times()).toBe(1);
  });
});
