import { expect, test } from 'vitest';
import { type LandingView, landingPage } from '../../src/pages/landing-page.ts';

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
  art: { background: '/locations/tea/wide.svg', avatar: '/avatars/sayo/full.svg', names: '"><script>' },
};

test('below a path the page shows that address, and all its links are relative', () => {
  const page = landingPage({ ...view, cards: [card] });
  expect(page).toContain('curl -X POST https://example.com/launch/v1/sessions');
  expect(page).toContain('{"experienceId":"exp_tea"}');
  expect(page).not.toMatch(/(?:href|src)="\//);
});

test('external text is escaped everywhere', () => {
  const page = landingPage({ ...view, problem: '<i>', cards: [{ ...card, title: "<'&>", badges: ['<u>'] }] });
  expect(page).not.toMatch(/<script(?! src="s)|<'&>|<u>|mint: <i>/);
  expect(page).toContain('&#60;&#39;&#38;&#62;');
});

test('the page shows that sessions cannot be minted, and why', () => {
  expect(landingPage(view)).toContain('Ready to mint');
  const page = landingPage({ ...view, problem: 'the database cannot be reached' });
  expect(page).toContain('Cannot mint: the database cannot be reached');
  expect(page).not.toContain('Ready to mint');
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
  expect(silent).not.toMatch(/<script|<button/);
});
