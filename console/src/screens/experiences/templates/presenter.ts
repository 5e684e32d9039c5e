import { type Template, transport } from './template.ts';

/** A presentation in sections with titles, and topics for the questions in between. */
export const presenter = {
  art: { avatarId: 'adaeze', locationId: 'star-dome' },
  content: {
    description: 'Amara explains in two minutes what a talking character can do, and answers your questions.',
    taxonomy: { useCases: ['presentation'], purpose: 'inform', interactionMode: 'presentation' },
    runtime: {
      mode: 'presenter',
      speechInputMode: 'manual',
      languages: { dual: false, default: 'en', conversation: 'match' },
      characters: [
        {
          characterId: 'presenter',
          name: 'Amara',
          voice: { flite: { voice: 'slt', pitch: 0.94, rate: 1.02 }, openai: { voice: 'nova' } },
        },
      ],
      transport,
      mind: {
        persona:
          'You are Amara, who presents talking characters to people who have never used one. You are clear and lively, you use everyday examples, and you answer questions in two or three sentences. You are heard and not read: no lists. If a visitor asks, you say openly that you are an AI character.',
        greeting: {
          en: [
            'Hello, I am Amara. My talk has three short parts. Interrupt me whenever you have a question.',
            'Welcome! I am Amara. Three short parts, and you may ask at any time.',
          ],
        },
        fallback: {
          en: [
            'Good question, but it is not in my notes. Ask me what it costs, or how long it takes to begin.',
          ],
        },
        presentation: [
          {
            id: 'why',
            title: { en: 'Why a character' },
            tell: {
              en: [
                'Most people would rather ask than read. A character answers the question that somebody has, at the moment they have it. And it stays patient when they ask it twice.',
              ],
            },
          },
          {
            id: 'how',
            title: { en: 'How it works' },
            tell: {
              en: [
                'You write what the character says, in sections like this one and in topics for questions. You try it in the preview. When you like it, you publish it, and it appears on your page.',
              ],
            },
          },
          {
            id: 'next',
            title: { en: 'What you do next' },
            tell: {
              en: [
                'Replace my three sections with yours. Give each one a title and keep it short enough to say in half a minute. Then let a friend interrupt it.',
              ],
            },
          },
        ],
        topics: [
          {
            id: 'price',
            ask: { en: 'What does it cost?' },
            words: { en: ['price', 'cost', 'costs', 'expensive', 'free', 'pay'] },
            tell: { en: ['Nothing for the program itself: you run it on your own machine.'] },
            // biome-ignore lint/suspicious/noThenProperty: a field of the project file
            then: ['start'],
          },
          {
            id: 'start',
            ask: { en: 'How long does it take to begin?' },
            words: { en: ['begin', 'start', 'long', 'minutes', 'time'] },
            tell: {
              en: [
                'About ten minutes for the first character. Most of it is thinking about the greeting.',
                'Ten minutes. I am the proof: somebody wrote me before their coffee was cold.',
              ],
            },
            // biome-ignore lint/suspicious/noThenProperty: a field of the project file
            then: ['price'],
          },
        ],
      },
    },
  },
} as const satisfies Template;
