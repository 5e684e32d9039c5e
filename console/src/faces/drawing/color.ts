/** A colour as red, green and blue from 0 to 255. */
type Rgb = readonly [number, number, number];

function parsed(color: string): Rgb {
  const number = Number.parseInt(color.slice(1), 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

function written(color: Rgb): string {
  return `#${color
    .map((one) =>
      Math.round(Math.min(255, Math.max(0, one)))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

/** Mixes two colours. 0 is the first one, 1 the second one. */
export function mix(one: string, other: string, part: number): string {
  const [a, b] = [parsed(one), parsed(other)];
  return written([0, 1, 2].map((i) => a[i]! + (b[i]! - a[i]!) * part) as unknown as Rgb);
}

/** Darkens a colour towards a warm shadow. 1 keeps it. */
export function shaded(color: string, factor: number): string {
  const [red, green, blue] = parsed(color);
  const cool = factor - (1 - factor) * 0.35;
  return written([red * factor, green * cool, blue * cool]);
}

export const lightened = (color: string, part: number) => mix(color, '#ffffff', part);

/** A colour that is seen on this one as a fold or a strand: darker, or lighter on a dark colour. */
export function lined(color: string): string {
  return luminance(color) < 0.06 ? mix(color, '#b9a7d6', 0.3) : shaded(color, 0.76);
}

/** Relative luminance as in WCAG 2. */
export function luminance(color: string): number {
  const [red, green, blue] = parsed(color).map((one) => {
    const part = one / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast as in WCAG 2, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The first of the colours between `color` and black, or else white, that has this contrast to another one. */
export function contrasting(color: string, to: string, least: number): string {
  for (const end of luminance(to) > 0.17 ? ['#1a0a0c', '#fff0ec'] : ['#ffd9d2', '#ffffff', '#140a0a'])
    for (let part = 0; part <= 1; part += 0.05) {
      const found = mix(color, end, part);
      if (contrast(found, to) >= least) return found;
    }
  return luminance(to) > 0.17 ? '#000000' : '#ffffff';
}
