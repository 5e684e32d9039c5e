import type { Recipe } from './recipe.ts';

const gold = '#f2c14e';
const shadow = '#c9912c';

/** What hangs from the ears, in the coordinates of the head. A headscarf covers it. */
export function earrings({ jewellery, hair }: Recipe): string {
  if (hair === 'headscarf') return '';
  const both = (draw: (x: number) => string) => draw(160) + draw(320);
  if (jewellery === 'studs')
    return `<g fill="${gold}">${both((x) => `<circle cx="${x}" cy="271" r="6.5"/>`)}</g>`;
  if (jewellery === 'hoops')
    return `<g fill="none" stroke="${gold}" stroke-width="5">${both((x) => `<circle cx="${x}" cy="284" r="15"/>`)}</g>`;
  if (jewellery === 'drops')
    return (
      `<path d="M160 270v12M320 270v12" fill="none" stroke="${shadow}" stroke-width="4"/>` +
      `<g fill="${gold}">${both((x) => `<path d="M${x} 278C${x + 12} 292 ${x + 9} 306 ${x} 306S${x - 12} 292 ${x} 278Z"/>`)}</g>`
    );
  return '';
}

/** What hangs from the neck, above the clothes. A headscarf covers it. */
export function necklace({ jewellery, hair }: Recipe): string {
  if (hair === 'headscarf') return '';
  if (jewellery === 'chain')
    return (
      `<path d="M196 408C202 452 220 474 240 476S278 452 284 408" fill="none" stroke="${gold}" stroke-width="4.5"/>` +
      `<path d="M240 472l12 14-12 16-12-16Z" fill="${gold}"/><path d="M240 472l12 14-12 16Z" fill="${shadow}"/>`
    );
  if (jewellery === 'beads') {
    const beads = [-1, -0.78, -0.54, -0.28, 0, 0.28, 0.54, 0.78, 1].map((at) => {
      const y = 414 + 48 * Math.sqrt(1 - at * at);
      return `<circle cx="${(240 + 46 * at).toFixed(1)}" cy="${y.toFixed(1)}" r="${at === 0 ? 9 : 7.5}"/>`;
    });
    return `<g fill="#fff3e0" stroke="#d9b98c" stroke-width="2">${beads.join('')}</g>`;
  }
  return '';
}

const backgrounds: Record<Recipe['background'], readonly [from: string, to: string, ring: string]> = {
  sea: ['#5fb3ae', '#2c6e7a', '#bde9da'],
  sun: ['#f7b955', '#e2703a', '#ffe3a3'],
  violet: ['#b69be8', '#6a55b5', '#e6d6ff'],
  rose: ['#f2a7a0', '#c65f77', '#ffdcd2'],
  meadow: ['#a9c96a', '#4f8a4f', '#e6f3b8'],
  sky: ['#8fc4ea', '#4577b4', '#dff0ff'],
  sand: ['#efdcb8', '#c9a577', '#fff6df'],
  night: ['#4a5488', '#1f2548', '#8b94d6'],
};

export function background({ background: kind }: Recipe): { gradient: string; drawn: string } {
  const [from, to, ring] = backgrounds[kind];
  return {
    gradient: `<linearGradient id="behind" x2=".4" y2="1"><stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient>`,
    drawn:
      '<rect width="256" height="256" fill="url(#behind)"/>' +
      `<circle cx="128" cy="124" r="98" fill="${ring}" opacity=".38"/><circle cx="128" cy="124" r="74" fill="${ring}" opacity=".3"/>`,
  };
}
