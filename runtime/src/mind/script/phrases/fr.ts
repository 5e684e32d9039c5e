import { nameAfter, nameFirst } from './name-patterns.ts';
import type { Phrases } from './phrases.ts';

export const fr: Phrases = {
  understand: {
    yes: "oui, ouais, bien sûr, d'accord, volontiers, avec plaisir, pourquoi pas, ok",
    no: 'non, non merci, pas maintenant, plutôt pas',
    hello: 'bonjour, bonsoir, salut, coucou',
    bye: 'au revoir, à bientôt, bonne nuit, adieu, à plus tard',
    thanks: 'merci, merci beaucoup, merci bien',
    repeat: 'répète, répétez, encore une fois, encore, pardon, comment, redis, redites, tu peux répéter',
    slower: 'plus lentement, moins vite, trop vite, doucement, ralentis, ralentissez',
    faster: 'plus vite, trop lent, accélère',
    more: 'plus, raconte encore, dis m en plus, la suite, et après, continue, continuez, quoi d autre',
    next: 'suivant, suivante, la suite, continue, continuez, passe, vas-y, allez-y',
    wait: 'attends, attendez, un instant, un moment, stop, pause',
    help: 'aide, aide-moi, que sais-tu, que peux-tu faire, de quoi peut-on parler, que puis-je demander',
    ai: 'es-tu une ia, êtes-vous une ia, tu es une ia, vous êtes une ia, es-tu un robot, tu es un robot, êtes-vous un robot, es-tu réel, es-tu humain, es-tu humaine, tu es humain, es-tu une personne, une vraie personne, intelligence artificielle, une machine',
    whoAreYou:
      "qui es-tu, qui êtes-vous, tu es qui, vous êtes qui, comment t'appelles-tu, comment tu t'appelles, comment vous appelez-vous, ton nom, votre nom",
    whoAmI: "comment je m'appelle, comment m'appelle-je, tu connais mon nom, mon nom, qui suis-je",
    whatWasThat: 'de quoi parlions-nous, de quoi on parlait, où en étions-nous, on en était où',
  },
  nameIs: [nameAfter("je m'appelle", 'mon nom est', 'appelle-moi', 'appelez-moi')],
  capitalNameIs: [nameFirst(['bonjour', 'salut'], "moi c'est", 'je suis')],
  say: {
    greeting: ['Bonjour et bienvenue. Je suis {name}.'],
    fallback: [
      'Là, je ne sais pas : je ne connais que mes propres histoires.',
      'Cela dépasse ce que j’ai appris, je l’avoue.',
    ],
    suggest: ['Demandez-moi par exemple : {ask}', 'Essayez donc : {ask}'],
    meet: ['Quel plaisir, {name}.', 'C’est un plaisir, {name}.'],
    yourName: ['Vous m’avez dit que vous vous appelez {name}.', 'Vous êtes {name}, bien sûr.'],
    noName: ['Vous ne m’avez pas encore dit votre nom.'],
    ai: [
      'Oui. Je suis {name}, un personnage d’IA et non une personne. Ce que je dis ici vient d’un script.',
      'Il n’y a personne ici, honnêtement : je suis {name}, un personnage d’IA, et mes phrases sont écrites d’avance.',
    ],
    iAm: ['Je suis {name}.', 'Je m’appelle {name}.'],
    nothingYet: ['Nous venons à peine de commencer.'],
    lastTopic: ['Nous en étions là : {ask}'],
    slower: ['Bien sûr, je parlerai plus lentement.'],
    faster: ['D’accord, un peu plus vite.'],
    allRight: [
      'Très bien. Demandez-moi autre chose.',
      'Comme vous voudrez. Que voulez-vous savoir d’autre ?',
    ],
    welcome: ['Je vous en prie.', 'Avec plaisir.'],
    bye: ['Au revoir, et revenez vite.', 'À bientôt. C’était un plaisir.'],
    noMore: ['C’est tout ce que j’en sais.', 'L’histoire s’arrête là.'],
    sorry: ['Pardon, j’ai perdu le fil. Pouvez-vous répéter ?'],
    teach: ['Voici comment dire « {gloss} » :', 'Apprenons « {gloss} » :'],
    yourTurn: ['À vous.', 'Répétez après moi.'],
    praise: ['Très bien !', 'Bravo !', 'C’est ça !'],
    almost: ['Presque. Écoutez encore :', 'Pas loin ! Encore une fois :'],
    notYet: ['Nous y reviendrons.'],
    lessonsDone: [
      'C’était la dernière phrase. Demandez-moi ce que vous voulez, ou dites « encore » pour recommencer.',
    ],
    noLessons: ['Je n’ai pas encore de phrases dans cette langue, mais nous pouvons parler.'],
    goOn: ['Continuons.', 'Poursuivons.'],
    wait: ['J’attends. Dites « continue » quand vous voulez.'],
    presentationDone: ['Voilà pour mon exposé. Posez-moi toutes vos questions.'],
    next: 'Continuez',
  },
  stopWords:
    "a ai ait alors au aux avec c'est ca ce ces cette comme d de des dans depuis dit du elle en encore entre es est et etes etre eu fait il ils j je la le les leur lui ma mais me mes moi mon n ne ni nous on ou par pas peut peux plus pour pourquoi qu qu'est que quel quelle qui quoi s sa se ses si son sont sur ta te tes toi ton tu un une vos votre vous y",
};
