import { type DemoCard, demoProjectId } from './demo-cards.ts';
import { type Html, html, nothing } from './html.ts';

/** The categories of a gallery, in the order of the filters. */
const facets = {
  purpose: 'Purpose',
  useCases: 'Use case',
  domain: 'Domain',
  interactionMode: 'Interaction',
  era: 'Era',
  universe: 'Universe',
} as const;
type Facet = keyof typeof facets;

/** The experiences of the demo project, with filters for the categories in which they differ. */
export function gallery(cards: readonly DemoCard[], talks: boolean): Html {
  const hint = html` Press Start to talk with them. Each conversation shows whether its answers come from a written script or from a model.`;
  return html`<section class="gallery" aria-labelledby="demo">
<div class="wide">
<h2 id="demo">Meet the characters</h2>
<p class="sub">The demo catalog: published experiences of <code>${demoProjectId}</code>. Edit <code>examples/demo.yaml</code> and apply it to make them yours.${talks ? hint : nothing}</p>
${filters(cards)}
<ul class="cards">
${cards.map((card) => cardView(card, talks))}
</ul>
</div>
</section>`;
}

/** Shown only if scripts run. The first category is a row of radio buttons, the others are selects. */
function filters(cards: readonly DemoCard[]): Html {
  const offered = (Object.keys(facets) as Facet[])
    .map((facet) => ({ facet, values: [...new Set(cards.flatMap((card) => valuesOf(card, facet)))] }))
    .filter(({ values }) => values.length > 1);
  const [first, ...others] = offered;
  if (first === undefined) return nothing;
  return html`<div class="filters" role="group" aria-label="Filter the experiences">
<fieldset class="chips">
<legend>${facets[first.facet]}</legend>
${['', ...first.values].map((value) => chip(first.facet, value))}
</fieldset>
<div class="selects">
${others.map(({ facet, values }) => select(facet, values))}
</div>
<p class="shown"><span role="status">${cards.length} experiences</span> <button type="button" class="clear" hidden>Show all</button></p>
</div>`;
}

function chip(facet: Facet, value: string): Html {
  return html`<label><input type="radio" name="${facet}" value="${value}"${value === '' ? html` checked` : nothing}><span>${value === '' ? 'All' : spelled(value)}</span></label>
`;
}

function select(facet: Facet, values: readonly string[]): Html {
  return html`<label>${facets[facet]} <select name="${facet}"><option value="">All</option>${values.map(
    (value) => html`<option value="${value}">${spelled(value)}</option>`,
  )}</select></label>
`;
}

function valuesOf({ taxonomy }: DemoCard, facet: Facet): readonly string[] {
  const value = taxonomy?.[facet];
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

/** `language-learning` as `Language learning`. */
function spelled(value: string): string {
  return (value.charAt(0).toUpperCase() + value.slice(1)).replaceAll('-', ' ');
}

/** The button that starts a conversation, and the choice of a language if the experience needs one. */
export function start({ title, paired }: DemoCard, label?: Html): Html {
  const choice =
    paired === undefined
      ? nothing
      : html`<label>Learn <select>${paired.map(({ tag, name }) => html`<option value="${tag}">${name}</option>`)}</select></label>`;
  const name = label === undefined ? html` aria-label="Start ${title}"` : nothing;
  return html`<p class="go">${choice}<button type="button" class="button talk"${name}>${label ?? 'Start'}</button></p>`;
}

function cardView(card: DemoCard, talks: boolean): Html {
  const { title, experienceId, badges, description } = card;
  const categories = Object.fromEntries(
    (Object.keys(facets) as Facet[]).map((facet) => [facet, valuesOf(card, facet)]),
  );
  return html`<li class="card" data-experience="${experienceId}" data-categories="${JSON.stringify(categories)}">
<div class="art">${scene(card, html` loading="lazy"`)}</div>
<div class="about">
<h3>${title}</h3>
${description === undefined ? nothing : html`<p class="description">${description}</p>`}
<p class="badges">${badges.map((badge) => html`<span>${badge}</span>`)}</p>
<p class="id"><code>${experienceId}</code></p>
${talks ? start(card) : nothing}
</div>
</li>
`;
}

/** The pictures of an experience. `attributes` are added to each. */
export function scene({ art, names }: DemoCard, attributes: Html = nothing): Html {
  if (art === undefined) return html`<img class="back" src="site/voice.svg" alt=""${attributes}>`;
  return html`<img class="back" src="${relative(art.background)}" alt=""${attributes}><img class="front" src="${relative(art.avatar)}" alt="${names}"${attributes}>`;
}

/** Makes a catalog path relative: it starts at the service's root, which need not be the host's root. */
function relative(path: string): string {
  return path.replace(/^\/+/, '');
}
