// Colours for code blocks: strings, comments, and the words that carry the structure.

export const escaped = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const quoted = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;
const hash = String.raw`(?<=^|\s)#[^\n]*`;
const keywords =
  'import|export|from|const|let|await|async|function|return|new|if|else|for|of|throw|try|catch|class|interface|type|default';

/** Per language: patterns of comments, strings and keywords. */
const rules = {
  sh: [
    hash,
    quoted,
    String.raw`(?<=^|\n|&& |\| )(?:npm|npx|node|curl|git|docker|kubectl|psql|pg_dump|pg_restore|sudo|export|cd)\b`,
  ],
  yaml: [hash, quoted, String.raw`(?<=^|\n)\s*(?:- )?[\w.-]+(?=:)`],
  nginx: [hash, quoted, String.raw`(?<=^|\n)\s*[a-z_]+(?= )`],
  json: [null, String.raw`(?<=[:[,]\s*)"(?:[^"\\\n]|\\.)*"`, String.raw`"(?:[^"\\\n]|\\.)*"(?=\s*:)`],
  js: [String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`, `${quoted}|\`[^\`]*\``, String.raw`\b(?:${keywords})\b`],
  html: ['<!--[\\s\\S]*?-->', '"[^"\\n]*"', String.raw`<\/?[a-z][\w-]*|\/?>`],
  sql: [
    '--[^\\n]*',
    "'[^'\\n]*'",
    String.raw`\b(?:SELECT|FROM|WHERE|CREATE|GRANT|ON|TO|INSERT|UPDATE|DELETE|ALTER|TABLE|DATABASE|USER|ROLE)\b`,
  ],
};
const families = { bash: 'sh', tsx: 'js', ts: 'js', yml: 'yaml', promql: 'nginx' };
const classes = ['c', 's', 'k'];

const patterns = new Map(
  Object.entries(rules).map(([name, parts]) => [
    name,
    new RegExp(parts.map((part) => `(${part ?? '(?!)'})`).join('|'), 'g'),
  ]),
);

/** The code as HTML. An unknown language has no colours. */
export function highlighted(code, language) {
  const pattern = patterns.get(families[language] ?? language);
  if (pattern === undefined) return escaped(code);
  let html = '';
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const kind = classes[match.slice(1).findIndex((group) => group !== undefined)];
    html += `${escaped(code.slice(end, match.index))}<span class="${kind}">${escaped(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escaped(code.slice(end));
}
