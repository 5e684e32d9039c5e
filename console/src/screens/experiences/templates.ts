/** What a new experience starts from: an experience of a project file without id, slug and title. */
const transport = { type: 'websocket' };

/** A template is a complete experience that talks at once, and shows by example what a mind can do. */
export const templates = {
  guide: {
    runtime: {
      languages: { dual: false, default: 'en', conversation: 'match' },
      characters: [{ characterId: 'guide', name: 'Robin', voice: { flite: { voice: 'slt' } } }],
      transport,
      mind: {
        persona:
          'You are Robin, a friendly guide who knows this place well and answers in two or three short sentences.',
        greeting: {
          en: ['Welcome! I am Robin, your guide. Ask me about opening hours or what to see first.'],
        },
        fallback: { en: ['That I do not know. I can tell you about opening hours, or what to see first.'] },
        topics: [
          {
            id: 'hours',
            ask: { en: 'When are you open?' },
            words: { en: ['open', 'hours', 'close'] },
            tell: { en: ['We are open every day from ten to six.'] },
            // biome-ignore lint/suspicious/noThenProperty: a field of the project file
            then: ['first'],
          },
          {
            id: 'first',
            ask: { en: 'What should I see first?' },
            words: { en: ['see', 'visit', 'first'] },
            tell: { en: ['Start with the garden behind the house: in the morning you have it to yourself.'] },
            // biome-ignore lint/suspicious/noThenProperty: a field of the project file
            then: ['hours'],
          },
        ],
      },
    },
  },
  teacher: {
    runtime: {
      languages: { dual: true, default: 'en', conversation: 'match', paired: { fixed: 'es' } },
      characters: [{ characterId: 'teacher', name: 'Lucía', voice: { flite: { voice: 'slt' } } }],
      transport,
      mind: {
        persona: 'You are Lucía, a patient teacher who practises short Spanish phrases with the visitor.',
        greeting: { en: ['Hello! I am Lucía. Let us learn three Spanish phrases.'] },
        fallback: { en: ['Let us go on with our phrases. Say next when you are ready.'] },
        lessons: [
          { id: 'morning', say: { es: 'Buenos días' }, gloss: { en: 'Good morning' } },
          { id: 'thanks', say: { es: 'Muchas gracias' }, gloss: { en: 'Thank you very much' } },
          { id: 'please', say: { es: 'La cuenta, por favor' }, gloss: { en: 'The bill, please' } },
        ],
      },
    },
  },
  presenter: {
    runtime: {
      mode: 'presenter',
      languages: { dual: false, default: 'en', conversation: 'match' },
      characters: [{ characterId: 'presenter', name: 'Alex', voice: { flite: { voice: 'rms' } } }],
      transport,
      mind: {
        persona: 'You are Alex, who presents this product in a minute and answers questions afterwards.',
        greeting: { en: ['Hello, I am Alex. This takes one minute.'] },
        fallback: { en: ['Good question; please ask our team about it.'] },
        presentation: [
          {
            id: 'why',
            title: { en: 'Why' },
            tell: { en: ['People understand a thing faster when somebody tells them about it.'] },
          },
          {
            id: 'how',
            title: { en: 'How' },
            tell: { en: ['You write what I say, publish it, and put me on your page with two lines.'] },
          },
        ],
        topics: [
          {
            id: 'price',
            ask: { en: 'What does it cost?' },
            words: { en: ['price', 'cost'] },
            tell: { en: ['Nothing: you run it yourself.'] },
          },
        ],
      },
    },
  },
  voice: {
    runtime: {
      languages: { dual: false, default: 'en', conversation: 'match' },
      characters: [{ characterId: 'voice', name: 'Kit', voice: { flite: { voice: 'awb' } } }],
      transport,
      mind: {
        persona: 'You are Kit, a calm voice on the phone.',
        greeting: { en: ['Hello, this is Kit. How can I help?'] },
        fallback: { en: ['I did not understand that. Could you say it in other words?'] },
        topics: [
          {
            id: 'help',
            ask: { en: 'What can you do?' },
            words: { en: ['help', 'do'] },
            tell: { en: ['I answer the questions that you write for me.'] },
          },
        ],
      },
    },
  },
  empty: {
    runtime: {
      characters: [{ characterId: 'character', name: 'Sam' }],
      transport,
      mind: { greeting: { en: ['Hello!'] } },
    },
  },
} as const;

export type Template = keyof typeof templates;
