import type { WrittenProjectFile } from '@session-launch/contract/project-file/schema';

type Experience = NonNullable<WrittenProjectFile['experiences']>[number];

/** An experience of a project file without its names: what a new experience starts from. */
type Content = Omit<Experience, 'id' | 'slug' | 'title'>;

/** Pictures of the demo that a template uses if the service has them. */
interface Art {
  avatarId: string;
  locationId: string;
}

interface Template {
  art?: Art;
  content: Content;
}

const transport = { type: 'websocket' } as const;

/** Complete experiences that talk at once. Each shows by example other things that a mind can do. */
export const templates = {
  /** Two languages, several variants, further words, topics that lead to others, and a story in steps. */
  guide: {
    art: { avatarId: 'wren', locationId: 'glasshouse' },
    content: {
      description: 'Ask Robin when the garden is open, what to see first and what happened to the old palm.',
      taxonomy: { useCases: ['visitor-guide'], purpose: 'explore', interactionMode: 'conversation' },
      runtime: {
        languages: { dual: false, default: 'en', conversation: 'match' },
        characters: [
          {
            characterId: 'guide',
            name: 'Robin',
            voice: { flite: { voice: 'slt', pitch: 1.05, rate: 1 }, openai: { voice: 'coral' } },
          },
        ],
        transport,
        mind: {
          persona:
            'You are Robin, who guides visitors through a garden and its glasshouse. You are friendly and curious, and you answer in two or three short sentences, without lists, because you are heard and not read. You know the opening hours, the way in, what to see first and the story of the old palm. If you do not know something, you say so and name what you do know. If a visitor asks, you say openly that you are an AI character.',
          greeting: {
            en: [
              'Welcome! I am Robin, your guide. Ask me when we are open, or what to see first.',
              'Welcome! I am Robin. Shall I tell you what to see first, or the story of the old palm?',
            ],
            es: [
              '¡Bienvenidos! Soy Robin, su guía. Pregúntenme por el horario o por dónde empezar.',
              '¡Bienvenidos! Soy Robin. ¿Les cuento qué ver primero, o la historia de la palmera?',
            ],
          },
          fallback: {
            en: [
              'That I do not know. I can tell you about opening hours, the way here, or what to see first.',
              'You have found a gap in my knowledge. Ask me about the garden, the glasshouse or the old palm.',
            ],
            es: [
              'Eso no lo sé. Puedo hablarles del horario, del camino o de qué ver primero.',
              'Ahí no llego. Pregúntenme por el jardín, el invernadero o la vieja palmera.',
            ],
          },
          topics: [
            {
              id: 'hours',
              ask: { en: 'When are you open?', es: '¿Cuándo abren?' },
              words: {
                en: ['open', 'opening', 'hours', 'close', 'closed', 'today'],
                es: ['abierto', 'abren', 'horario', 'cierran', 'hoy'],
              },
              tell: {
                en: [
                  'We are open every day from ten to six. The last visitors come in at five.',
                  'From ten in the morning to six in the evening, also on Sundays.',
                ],
                es: ['Abrimos todos los días de diez a seis. Los últimos visitantes entran a las cinco.'],
              },
              // biome-ignore lint/suspicious/noThenProperty: a field of the project file
              then: ['first', 'way'],
            },
            {
              id: 'first',
              ask: { en: 'What should I see first?', es: '¿Qué veo primero?' },
              words: {
                en: ['see', 'visit', 'first', 'start', 'begin', 'recommend', 'glasshouse'],
                es: ['ver', 'visitar', 'primero', 'empezar', 'recomienda', 'invernadero'],
              },
              tell: {
                en: [
                  'Start in the glasshouse: in the morning you have it to yourself. Would you like to hear about the old palm in there?',
                  'First the glasshouse, then the pond. In between there is a bench with the best view. Shall I tell you about the old palm?',
                ],
                es: [
                  'Empiecen por el invernadero: por la mañana lo tienen para ustedes solos. ¿Les cuento la historia de la palmera?',
                ],
              },
              // biome-ignore lint/suspicious/noThenProperty: a field of the project file
              then: ['palm', 'way'],
            },
            {
              id: 'way',
              ask: { en: 'How do I get there?', es: '¿Cómo llego?' },
              words: {
                en: ['way', 'bus', 'train', 'parking', 'address', 'where', 'directions'],
                es: ['camino', 'autobús', 'tren', 'aparcar', 'dirección', 'dónde'],
              },
              tell: {
                en: ['Take the bus to the garden gate. From there it is two minutes on foot, always uphill.'],
                es: ['Tomen el autobús hasta la puerta del jardín. Desde allí son dos minutos a pie.'],
              },
              // biome-ignore lint/suspicious/noThenProperty: a field of the project file
              then: ['hours', 'first'],
            },
            {
              // A topic that names itself is a story in steps: each "more" or "and then?" tells the next one.
              id: 'palm',
              ask: { en: 'What is the story of the old palm?', es: '¿Cuál es la historia de la palmera?' },
              words: { en: ['palm', 'story', 'tree', 'tell me more'], es: ['palmera', 'historia', 'árbol'] },
              tell: {
                en: [
                  'Eighty years ago a sailor brought it in a bucket. It was as tall as a spoon. Shall I go on?',
                  'It grew until it touched the roof. The gardeners were proud, and worried. Do you want to know what they did?',
                  'They raised the roof! It was cheaper than to say no to a palm. That is why the middle of the house is so high.',
                ],
                es: [
                  'Hace ochenta años la trajo un marinero en un cubo. Era tan alta como una cuchara. ¿Sigo?',
                  'Creció hasta tocar el techo. ¿Quieren saber qué hicieron los jardineros?',
                  '¡Levantaron el techo! Por eso el invernadero es tan alto en el centro.',
                ],
              },
              // biome-ignore lint/suspicious/noThenProperty: a field of the project file
              then: ['palm', 'first'],
            },
          ],
        },
      },
    },
  },
  /** Lessons: phrases of the paired language with their meaning in the language of the conversation. */
  teacher: {
    art: { avatarId: 'mateo', locationId: 'market-hall' },
    content: {
      description: 'Learn six Spanish phrases for the market with Tomás. He listens, praises and repeats.',
      taxonomy: { useCases: ['language-learning'], purpose: 'practice', interactionMode: 'lesson' },
      runtime: {
        languages: { dual: true, default: 'en', conversation: 'match', paired: { fixed: 'es' } },
        characters: [
          {
            characterId: 'teacher',
            name: 'Tomás',
            voice: { flite: { voice: 'rms', pitch: 1, rate: 0.95 }, openai: { voice: 'verse' } },
          },
        ],
        transport,
        mind: {
          persona:
            'You are Tomás, a patient teacher who practises Spanish for the market with beginners. You speak the language of the visitor and bring in one Spanish phrase at a time: you say it, you say what it means, and you let the visitor repeat it. You praise what was good and correct one thing at most. You are heard and not read: no lists. If a visitor asks, you say openly that you are an AI character.',
          greeting: {
            en: [
              'Hello! I am Tomás. We learn six phrases for the market. Listen, and then repeat.',
              'Good to see you! I am Tomás. Today we go shopping in Spanish, one phrase at a time.',
            ],
          },
          fallback: {
            en: [
              'I only know my phrases for the market. Say next for another one, or repeat to hear it again.',
            ],
          },
          lessons: [
            { id: 'morning', say: { es: 'Buenos días' }, gloss: { en: 'Good morning' } },
            {
              id: 'price',
              // The second wording counts as correct, too.
              say: { es: ['¿Cuánto cuesta?', '¿Cuánto es?'] },
              gloss: { en: 'How much is it?' },
            },
            { id: 'kilo', say: { es: 'Un kilo, por favor' }, gloss: { en: 'One kilo, please' } },
            { id: 'expensive', say: { es: 'Es muy caro' }, gloss: { en: 'It is very expensive' } },
            { id: 'thanks', say: { es: 'Muchas gracias' }, gloss: { en: 'Thank you very much' } },
            { id: 'later', say: { es: 'Hasta luego' }, gloss: { en: 'See you later' } },
          ],
          topics: [
            {
              id: 'polite',
              ask: { en: 'How do I say it politely?' },
              words: { en: ['polite', 'politely', 'please', 'formal'] },
              tell: {
                en: ['Put por favor at the end of what you say. It is never wrong, and everybody smiles.'],
              },
            },
          ],
        },
      },
    },
  },
  /** A presentation in sections with titles, and topics for the questions in between. */
  presenter: {
    art: { avatarId: 'adaeze', locationId: 'star-dome' },
    content: {
      description:
        'Amara explains in two minutes what a talking character can do, and answers your questions.',
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
  },
  /** Without an avatar and a location, a session is only heard. "Yes" and "no" lead on from a question. */
  voice: {
    content: {
      description: 'Kit answers the phone of a small workshop.',
      taxonomy: { useCases: ['help-line'], purpose: 'help', interactionMode: 'voice' },
      runtime: {
        languages: { dual: false, default: 'en', conversation: 'match' },
        characters: [
          {
            characterId: 'voice',
            name: 'Kit',
            voice: { flite: { voice: 'awb', pitch: 1, rate: 0.95 }, openai: { voice: 'sage' } },
          },
        ],
        transport,
        mind: {
          persona:
            'You are Kit, who answers the phone of a small workshop that repairs bicycles. Nobody sees you, so you say everything in words and never refer to something on a screen. You are calm and brief, and you ask one question at a time. You cannot make appointments; you say when the workshop is open. If a visitor asks, you say openly that you are an AI character.',
          greeting: {
            en: [
              'Hello, this is Kit from the workshop. Is it about a repair, or about our hours?',
              'Workshop, Kit speaking. How can I help?',
            ],
          },
          fallback: {
            en: [
              'I did not get that. I can tell you about repairs, prices and our hours.',
              'Sorry, could you say it in other words? I know about repairs, prices and our hours.',
            ],
          },
          topics: [
            {
              id: 'repair',
              ask: { en: 'Can you repair my bicycle?' },
              words: { en: ['repair', 'broken', 'fix', 'bicycle', 'bike', 'brake', 'tyre', 'flat'] },
              tell: { en: ['Surely. Bring it in before noon and it is ready in the evening. Is it urgent?'] },
              // After a question, "yes" leads to the first of these and "no" to the second.
              // biome-ignore lint/suspicious/noThenProperty: a field of the project file
              then: ['urgent', 'hours'],
            },
            {
              id: 'urgent',
              ask: { en: 'It is urgent' },
              words: { en: ['urgent', 'quickly', 'now', 'hurry', 'right away'] },
              tell: { en: ['Then come right away. A flat tyre takes ten minutes, and you can wait for it.'] },
              // biome-ignore lint/suspicious/noThenProperty: a field of the project file
              then: ['hours', 'price'],
            },
            {
              id: 'hours',
              ask: { en: 'When are you open?' },
              words: { en: ['open', 'hours', 'close', 'when', 'today'] },
              tell: { en: ['From eight to six, Monday to Saturday.', 'Monday to Saturday, eight to six.'] },
              // biome-ignore lint/suspicious/noThenProperty: a field of the project file
              then: ['repair', 'price'],
            },
            {
              id: 'price',
              ask: { en: 'What does a repair cost?' },
              words: { en: ['price', 'cost', 'much', 'expensive', 'pay'] },
              tell: {
                en: ['A flat tyre is fifteen, new brakes are forty. I tell you before anything is done.'],
              },
              // biome-ignore lint/suspicious/noThenProperty: a field of the project file
              then: ['hours', 'repair'],
            },
          ],
        },
      },
    },
  },
  empty: {
    content: {
      runtime: {
        languages: { dual: false, default: 'en', conversation: 'match' },
        characters: [{ characterId: 'character', name: 'Sam', voice: { flite: { voice: 'slt' } } }],
        transport,
        mind: { greeting: { en: ['Hello! I am Sam.'] } },
      },
    },
  },
} as const satisfies Record<string, Template>;

export type TemplateName = keyof typeof templates;

/** The fields of a new experience. With `hasArt`, its first character has a face and a place, and the catalog entry is complete. */
export function contentOf(name: TemplateName, hasArt: boolean): Content {
  const { art, content }: Template = templates[name];
  if (art === undefined || !hasArt) return content;
  const { avatarId, locationId } = art;
  const background = `/locations/${locationId}/wide.svg`;
  const [first, ...others] = content.runtime.characters;
  return {
    ...content,
    avatarId,
    thumbnailPath: `/avatars/${avatarId}/thumb.svg`,
    galleryThumb: { avatarImage: `/avatars/${avatarId}/full.svg`, backgroundImage: background },
    runtime: {
      ...content.runtime,
      characters: [{ ...first!, avatar: { avatarId } }, ...others],
      location: { locationId, assets: [background] },
    },
  };
}
