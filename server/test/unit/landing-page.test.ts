import { curlSnippet, fetchSnippet, htmlSnippet } from '@session-launch/contract/snippets';
import { expect, test } from 'vitest';
import { type LandingView, landingPage } from '../../src/web/pages/landing-page.ts';

const view: LandingView = {
  version: '1.2.3',
  engine: 'postgres',
  baseUrl: 'https://example.com/launch',
  problem: undefined,
  cards: [],
  talks: true,
};
const card = {
  title: 'Tea',
  experienceId: 'exp_tea',
  slug: 'tea',
  badges: ['Any language'],
  names: '"><script>',
  art: { background: '/locations/tea/wide.svg', avatar: '/avatars/sayo/full.svg' },
};

/** The texts of the code blocks, as a browser shows and copies them. */
const codeOf = (page: string) =>
  [...page.matchAll(/<pre[^>]*><code[^>]*>([\s\S]*?)<\/code>/g)].map(([, code = '']) =>
    code.replace(/<[^>]*>/g, '').replace(/&#(\d+);/g, (_, number) => String.fromCharCode(Number(number))),
  );

test('below a path the page shows that address, and all its links are relative', () => {
  const page = landingPage({ ...view, cards: [card] });
  const shown = codeOf(page).join('\n');
  expect(shown).toContain('curl -X POST https://example.com/launch/v1/sessions');
  expect(shown).toContain('{"experienceId":"exp_tea"}');
  expect(page).not.toMatch(/(?:href|src)="\//);
});

test('external text is escaped everywhere', () => {
  const page = landingPage({
    ...view,
    problem: '<i>',
    cards: [{ ...card, title: "<'&>", badges: ['<u>'], taxonomy: { purpose: '<em>' } }],
  });
  expect(page).not.toMatch(/<script(?! src="s)|<'&>|<u>|sessions: <i>|<em>/);
  expect(page).toContain('&#60;&#39;&#38;&#62;');
});

test('the page shows that sessions cannot be minted, and why', () => {
  expect(landingPage(view)).toContain('Ready to create sessions');
  const page = landingPage({ ...view, problem: 'the database cannot be reached' });
  expect(page).toContain('Cannot create sessions: the database cannot be reached');
  expect(page).not.toContain('Ready to create sessions');
});

test('without a demo the page has no gallery, and a placeholder for the experience', () => {
  const page = landingPage(view);
  expect(page).not.toContain('class="cards"');
  expect(page).toContain('exp_your_experience');
});

test('cards have a start button only if a runtime is available', () => {
  const paired = [{ tag: 'de', name: 'German' }];
  const page = landingPage({ ...view, cards: [{ ...card, paired }] });
  expect(page).toContain('aria-label="Start Tea"');
  expect(page).toContain('<option value="de">German</option>');
  expect(page).toContain('<script src="sdk/v2/session-launch.js" defer>');
  const silent = landingPage({ ...view, cards: [card], talks: false });
  expect(silent).not.toMatch(/session-launch\.js" defer|class="button talk"/);
  expect(silent).toContain('runs without a runtime');
});

test('the first screen has a character that needs no choice of language, and the code that embeds it', () => {
  const paired = { ...card, experienceId: 'exp_lesson', paired: [{ tag: 'de', name: 'German' }] };
  const page = landingPage({ ...view, cards: [paired, { ...card, names: 'Sayo' }] });
  expect(page).toContain('<div class="stage-card" data-experience="exp_tea">');
  expect(page).toContain('>Talk with Sayo</button>');
  const text = codeOf(page)[0];
  expect(text).toBe(`<script src="https://example.com/launch/sdk/v2/session-launch.js"></script>
<session-experience experience-id="exp_tea"></session-experience>`);
});

test('the gallery has filters for the categories in which the experiences differ', () => {
  const of = (purpose: string) => ({
    ...card,
    taxonomy: { purpose, era: 'past', useCases: [purpose, 'x-y'] },
  });
  const page = landingPage({ ...view, cards: [of('learn'), of('play')] });
  expect(page).toContain('<input type="radio" name="purpose" value="play">');
  expect(page).toContain('<option value="x-y">X y</option>');
  expect(page).not.toContain('name="era"');
  expect(landingPage({ ...view, cards: [of('learn')] })).not.toContain('name="purpose"');
});

test('code blocks have exactly the text of their snippets', () => {
  const hostile = { ...card, experienceId: `exp_"'<b>&\\$HOME</script>` };
  const page = landingPage({ ...view, cards: [hostile] });
  const facts = { publicUrl: view.baseUrl, experienceId: hostile.experienceId };
  expect(codeOf(page)).toEqual([
    htmlSnippet(facts),
    fetchSnippet(facts),
    curlSnippet({
      publicUrl: view.baseUrl,
      key: { variable: 'API_KEY' },
      body: { experienceId: hostile.experienceId },
    }),
  ]);
});
