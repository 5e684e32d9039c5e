import { lightened, lined, mix, shaded } from './color.ts';
import { shine } from './head.ts';
import type { Recipe } from './recipe.ts';

interface Hair {
  /** Behind the head and the body. */
  back: string;
  /** In front of the head. */
  front: string;
}

const none: Hair = { back: '', front: '' };
const line = (d: string, color: string, width = 4) =>
  `<path d="${d}" fill="none" stroke="${lined(color)}" stroke-width="${width}"/>`;
const fill = (d: string, color: string) => `<path d="${d}" fill="${color}"/>`;

const sideburns =
  'M163 206C162 236 168 250 176 236C180 226 184 216 190 206ZM317 206C318 236 312 250 304 236C300 226 296 216 290 206Z';
/** Hair on the forehead, below the edge of a hat. */
const fringe =
  'M160 230C154 190 190 170 240 170S326 190 320 230C312 216 302 208 290 204C262 216 214 217 188 206C177 212 168 220 160 230Z';
const sideLocks =
  'M154 222C142 268 146 318 166 344C182 340 186 318 180 296C172 272 170 248 176 222ZM326 222C338 268 334 318 314 344C298 340 294 318 300 296C308 272 310 248 304 222Z';
/** From below a hat to a braid. */
const behindTheEar = 'M154 206C146 256 148 296 160 330L186 322C172 292 170 250 178 206Z';
const afroPuffs =
  '<circle cx="150" cy="232" r="40"/><circle cx="330" cy="232" r="40"/><circle cx="144" cy="278" r="34"/><circle cx="336" cy="278" r="34"/><circle cx="164" cy="308" r="28"/><circle cx="316" cy="308" r="28"/>';

const bobBack =
  'M152 200C132 262 136 318 156 352C176 364 192 350 198 330H282C288 350 304 364 324 352C344 318 348 262 328 200C300 120 180 120 152 200Z';
const longBack =
  'M150 200C120 290 118 372 128 436C152 452 186 446 200 416H280C294 446 328 452 352 436C362 372 360 290 330 200C300 116 180 116 150 200Z';

function braid(color: string, tie: string): string {
  return (
    `<g fill="${color}"><ellipse cx="164" cy="334" rx="21" ry="27" transform="rotate(-14 164 334)"/><ellipse cx="156" cy="376" rx="21" ry="27" transform="rotate(16 156 376)"/>` +
    '<ellipse cx="154" cy="418" rx="20" ry="26" transform="rotate(-16 154 418)"/><ellipse cx="152" cy="458" rx="18" ry="24" transform="rotate(16 152 458)"/></g>' +
    line('M156 324q14 6 18 22M148 368q16 4 20 18M146 410q12 6 16 20M144 452q12 4 16 16', color) +
    fill('M138 476h30l-4 38q-12 12-22 0Z', shaded(color, 0.86)) +
    `<rect x="136" y="471" width="34" height="13" rx="6" fill="${tie}"/>`
  );
}

/** The hair; a shorter version of it below a hat. */
export function hair(recipe: Recipe): Hair {
  const { hair: style, hairColor: color, headwearColor, skin } = recipe;
  const isBelowHat = recipe.hat !== 'none';
  const dark = shaded(color, 0.84);
  if (style === 'headscarf') return headscarf(headwearColor);
  if (style === 'turban') return { back: '', front: turban(headwearColor, recipe.clothesAccent) };
  if (style === 'bald') return isBelowHat ? none : { back: '', front: shine(skin) };
  if (isBelowHat) {
    const front = fill(sideburns, color);
    switch (style) {
      case 'afro':
        return { back: `<g fill="${dark}">${afroPuffs}</g>`, front };
      case 'curls':
        return {
          back: `<g fill="${dark}"><circle cx="162" cy="214" r="26"/><circle cx="318" cy="214" r="26"/></g>`,
          front:
            fill(fringe, color) +
            `<g fill="${color}"><circle cx="168" cy="216" r="16"/><circle cx="312" cy="216" r="16"/><circle cx="194" cy="204" r="15"/><circle cx="284" cy="204" r="15"/></g>`,
        };
      case 'bob':
        return {
          back: fill(bobBack, dark),
          front: fill(sideLocks, color) + fill(fringe, color) + strands(color),
        };
      case 'long':
        return { back: fill(longBack, dark), front: fill(fringe, color) + longLock(color) };
      case 'braid':
        return {
          back: '',
          front: front + fill(fringe, color) + fill(behindTheEar, color) + braid(color, headwearColor),
        };
      case 'bun':
        return {
          back:
            fill('M300 196C344 224 348 292 330 322L296 334Z', dark) +
            `<circle cx="312" cy="336" r="31" fill="${dark}"/>${line('M316 312q20 4 22 28M318 358q14-2 20-12', color)}`,
          front: front + fill(fringe, color),
        };
      case 'buzz':
        return { back: '', front: fill(sideburns, mix(color, skin, 0.22)) };
      default:
        return { back: '', front };
    }
  }
  switch (style) {
    case 'short':
      return {
        back: '',
        front:
          fill(
            'M164 236C148 196 154 150 190 126C226 104 292 104 314 140C328 166 328 204 316 236C314 218 311 206 306 196C304 182 298 172 288 166C262 178 222 178 192 166C182 180 176 192 174 204C168 212 166 222 164 236Z',
            color,
          ) + line('M196 146q30-24 76-14M206 164q34-14 72-8M282 134q18 10 24 28', color, 5),
      };
    case 'parted':
      return {
        back: '',
        front:
          fill(
            'M162 242C146 168 188 120 244 120S334 166 318 242C314 214 302 190 272 170C236 194 190 196 174 220C168 228 164 234 162 242Z',
            color,
          ) + line('M270 146C240 174 200 176 180 198M280 150C304 168 310 186 314 208', color),
      };
    case 'curls':
      return {
        back: `<g fill="${dark}"><circle cx="164" cy="200" r="34"/><circle cx="316" cy="200" r="34"/><ellipse cx="240" cy="150" rx="86" ry="54"/></g>`,
        front:
          `<g fill="${color}"><circle cx="174" cy="176" r="31"/><circle cx="198" cy="138" r="34"/><circle cx="242" cy="120" r="37"/><circle cx="288" cy="138" r="35"/><circle cx="308" cy="180" r="29"/><circle cx="222" cy="164" r="27"/><circle cx="262" cy="162" r="29"/></g>` +
          line(
            'M160 168q6-18 24-16M184 124q12-16 30-6M232 100q20-10 32 8M284 118q18 0 22 18M212 162q6-16 22-12M258 156q14-8 22 6M296 172q12-6 20 8',
            color,
            5,
          ),
      };
    case 'buzz':
      return {
        back: '',
        front: fill(
          'M163 230C156 160 194 130 240 130S324 160 317 230C315 210 310 196 300 185C282 170 262 169 240 169S198 170 180 185C170 196 165 210 163 230Z',
          mix(color, skin, 0.22),
        ),
      };
    case 'afro':
      return {
        back:
          fill(
            'M240 42C286 34 330 58 346 94C382 112 396 156 384 196C394 244 372 296 322 312C292 330 188 330 158 312C108 296 86 244 96 196C84 156 98 112 134 94C150 58 194 34 240 42Z',
            color,
          ) +
          line(
            'M150 116q10-24 34-30M118 176q-4-26 12-44M206 76q22-14 46-8M296 88q22 8 30 26M352 150q10 20 6 42M122 236q-10-16-8-34M366 226q4 16-6 34',
            color,
            6,
          ),
        front: fill(
          'M160 230C156 158 196 126 240 126S324 158 320 230C312 198 296 178 274 172C252 182 224 182 206 172C184 180 168 200 160 230Z',
          shaded(color, 0.86),
        ),
      };
    case 'bob':
      return {
        back: fill(bobBack, dark),
        front:
          fill(sideLocks, color) +
          fill(
            'M156 240C140 164 190 118 240 118S340 164 324 240C316 216 306 204 292 196C262 213 214 214 188 202C174 212 164 224 156 240Z',
            color,
          ) +
          strands(color) +
          line('M190 182q10-30 40-42M292 182q-8-26-30-40', color),
      };
    case 'long':
      return {
        back: fill(longBack, dark),
        front:
          fill(
            'M158 246C142 164 188 116 240 116S338 164 322 246C316 216 300 192 252 166C242 161 238 161 228 166C180 192 164 216 158 246Z',
            color,
          ) +
          longLock(color) +
          line('M222 146C196 160 178 180 170 204M258 146C284 160 302 180 310 204', color),
      };
    case 'bun':
      return {
        back:
          fill('M174 110C170 56 310 56 306 110C302 146 178 146 174 110Z', color) +
          line('M192 98Q240 74 288 98M188 116Q240 94 292 116', color) +
          fill(
            'M150 226C140 152 184 110 240 110S340 152 330 226C332 256 322 280 306 292H174C158 280 148 256 150 226Z',
            dark,
          ),
        front:
          fill(
            'M162 244C146 166 190 124 240 124S334 166 318 244C314 210 302 186 270 172C236 190 192 190 174 218C167 228 164 236 162 244Z',
            color,
          ) + line('M258 150C236 174 202 176 182 196M272 152C298 168 306 188 310 208', color),
      };
    case 'braid':
      return {
        back: '',
        front:
          fill(
            'M158 246C142 164 188 116 240 116S338 164 322 246C318 214 298 186 262 168C226 186 190 198 178 226C172 260 178 300 190 318L176 330C154 304 152 272 158 246Z',
            color,
          ) +
          braid(color, headwearColor) +
          line('M252 146C220 160 190 180 174 212M268 150C292 164 306 186 312 210', color),
      };
  }
}

const strands = (color: string) =>
  line('M164 250C161 282 164 304 170 322M316 250C319 282 316 304 310 322', color);

/** Long hair that lies on one shoulder, behind the ear. */
function longLock(color: string): string {
  return (
    fill(
      'M322 226C342 282 348 348 338 412C326 434 302 428 300 404C314 352 318 300 316 268C324 258 324 240 318 228Z',
      color,
    ) + line('M330 290C334 330 332 370 324 404', color)
  );
}

function headscarf(color: string): Hair {
  const fold = lined(color);
  return {
    back: fill(
      'M144 244C134 152 182 104 240 104S346 152 336 244C340 304 354 372 380 440H100C126 372 140 304 144 244Z',
      shaded(color, 0.74),
    ),
    front:
      `<path d="M146 244C136 154 184 110 240 110S344 154 334 244C338 296 330 344 314 376C352 390 374 430 348 456C308 488 172 488 132 456C106 430 128 390 166 376C150 344 142 296 146 244ZM240 172C200 172 178 200 178 246C178 300 204 336 240 336S302 300 302 246C302 200 280 172 240 172Z" fill="${color}" fill-rule="evenodd"/>` +
      `<path d="M240 172C200 172 178 200 178 246C178 300 204 336 240 336S302 300 302 246C302 200 280 172 240 172Z" fill="none" stroke="${shaded(color, 0.72)}" stroke-width="5"/>` +
      `<path d="M168 196C184 148 222 134 252 134M160 262C160 312 178 346 210 362M174 384C210 412 276 410 318 384M150 412C196 448 290 444 336 410M146 442C190 470 290 470 336 440M320 250C322 292 314 326 296 350" fill="none" stroke="${fold}" stroke-width="4.5"/>` +
      fill(
        'M276 128C318 142 336 186 334 244C338 296 330 344 314 376C300 362 292 356 286 348C312 310 318 262 312 220C306 182 296 152 276 128Z',
        shaded(color, 0.82),
      ),
  };
}

function turban(color: string, accent: string): string {
  return (
    fill('M146 212C124 140 156 70 240 68S356 140 334 212C312 192 280 184 240 184S168 192 146 212Z', color) +
    fill(
      'M276 76C334 92 352 150 334 212C322 201 308 194 292 190C312 152 308 106 276 76Z',
      shaded(color, 0.82),
    ) +
    `<path d="M240 184C206 166 168 168 146 196M240 158C204 138 166 140 142 170M240 130C210 114 176 114 150 138M240 184C274 166 312 168 334 196M240 158C276 138 314 140 338 170M240 130C270 114 304 114 330 138M240 102C222 92 204 92 186 100M240 102C258 92 276 92 294 100" fill="none" stroke="${lined(color)}" stroke-width="4.5"/>` +
    fill('M222 182C224 146 232 112 240 92C248 112 256 146 258 182Z', lightened(color, 0.14)) +
    `<circle cx="240" cy="154" r="11" fill="#f2c14e"/><circle cx="240" cy="154" r="6" fill="${accent}"/>`
  );
}
