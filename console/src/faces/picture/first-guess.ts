import { type Handles, type Place, usualEyeHeight } from './handles.ts';
import { Tables } from './tables.ts';

interface Pixels {
  width: number;
  height: number;
  /** RGBA. */
  data: Uint8ClampedArray;
}

export interface Guess {
  handles: Handles;
  /** Whether something like a face was found. Otherwise the handles have usual proportions. */
  isFound: boolean;
}

/** Where a face may be: the middle between the eyes, their distance in pixels, and the tilt of the head in radians. */
interface Candidate {
  x: number;
  y: number;
  apart: number;
  tilt: number;
}

/** Score from which a candidate counts as a face; about 7 is possible. */
const enough = 4;
/** Tilts of the head that are tried, in radians, and the maximum number of candidates that are refined. */
const tilts = [0, -0.13, 0.13, -0.26, 0.26];
const maxFinalists = 12;

/**
 * Guesses where a face is, in a picture of about 150 pixels on its longer side. Looks for skin with two dark spots beside each other and a
 * mouth at the usual distance. This is no face detection: it finds one face that looks at the camera.
 */
export function firstGuess(pixels: Pixels): Guess {
  const tables = new Tables(pixels);
  const { width, height } = pixels;
  const size = Math.min(width, height);
  let finalists: Scored[] = [];
  for (let apart = Math.max(7, size * 0.07); apart < size * 0.45; apart *= 1.2) {
    const step = Math.max(1, apart * 0.12);
    for (let y = apart * 0.4; y < height - apart * 1.3; y += step)
      for (let x = apart * 0.7; x < width - apart * 0.7; x += step) {
        if (skinLikeness(tables.tone(tables.box(x, y, apart * 0.07, apart * 0.1))) === 0) continue;
        for (const tilt of tilts) {
          const candidate = { x, y, apart, tilt };
          const score = scoreOf(tables, candidate);
          if (score > (finalists[maxFinalists - 1]?.score ?? 2))
            finalists = withScored(finalists, { candidate, score });
        }
      }
  }
  const best = finalists.map((one) => refined(tables, one)).sort((a, b) => b.score - a.score)[0];
  if (best === undefined || best.score < enough)
    return { handles: usualHandles(width, height), isFound: false };
  return { handles: handlesAt(tables, best.candidate), isFound: true };
}

interface Scored {
  candidate: Candidate;
  score: number;
}

/** Keeps the best candidates, and only the best one of those that are close together. */
function withScored(scored: readonly Scored[], added: Scored): Scored[] {
  const { x, y, apart } = added.candidate;
  const isClose = ({ candidate }: Scored) =>
    Math.hypot(candidate.x - x, candidate.y - y) < 0.3 * apart && Math.abs(candidate.apart / apart - 1) < 0.3;
  const close = scored.find(isClose);
  if (close !== undefined && close.score >= added.score) return [...scored];
  return [...scored.filter((one) => !isClose(one)), added]
    .sort((a, b) => b.score - a.score)
    .slice(0, maxFinalists);
}

/** Tries finer steps around a candidate. */
function refined(tables: Tables, found: Scored): Scored {
  let best = found;
  for (let share = 0.08; share > 0.015; share /= 2) {
    const { x, y, apart, tilt } = best.candidate;
    for (const dx of [-1, 0, 1])
      for (const dy of [-1, 0, 1])
        for (const larger of [-1, 0, 1])
          for (const turn of [-1, 0, 1]) {
            const candidate = {
              x: x + dx * share * apart,
              y: y + dy * share * apart,
              apart: apart * (1 + larger * share),
              tilt: tilt + turn * share,
            };
            const score = scoreOf(tables, candidate);
            if (score > best.score) best = { candidate, score };
          }
  }
  return best;
}

/** A face in the upper middle, with usual proportions. */
export function usualHandles(width: number, height: number): Handles {
  const apart = Math.min(width, height) * 0.17;
  return handlesIn({ x: width / 2, y: height * 0.42, apart, tilt: 0 }, width, height, {
    leftEye: [-0.5, 0],
    rightEye: [0.5, 0],
    leftCorner: [-0.4, 1.05],
    middle: [0, 1.07],
    rightCorner: [0.4, 1.05],
    chin: [0, 1.72],
  });
}

type Points = Omit<Handles, 'eyeHeight'>;

function handlesIn(at: Candidate, width: number, height: number, points: Points): Handles {
  const placed = Object.entries(points).map(([id, point]) => {
    const [x, y] = pixelOf(at, point);
    return [id, [Math.min(1, Math.max(0, x / width)), Math.min(1, Math.max(0, y / height))]];
  });
  return { ...(Object.fromEntries(placed) as Points), eyeHeight: usualEyeHeight };
}

/** The pixel of a point in distances between the eyes: x to the right, y towards the chin. */
function pixelOf({ x, y, apart, tilt }: Candidate, [u, v]: Place): Place {
  const [cos, sin] = [Math.cos(tilt), Math.sin(tilt)];
  return [x + apart * (u * cos - v * sin), y + apart * (u * sin + v * cos)];
}

const clamped = (value: number) => Math.min(1, Math.max(0, value));

/** Skin of all tones is reddish, with a similar share of green. */
function skinLikeness([red, green]: readonly [red: number, green: number]): number {
  return (
    clamped((red - 0.345) / 0.03) *
    clamped((0.56 - red) / 0.03) *
    clamped((green - 0.26) / 0.02) *
    clamped((red - green - 0.02) / 0.03)
  );
}

/** How much a place looks like a face, from 0. */
function scoreOf(tables: Tables, at: Candidate): number {
  const { apart } = at;
  const box = (u: number, v: number, wide: number, high: number) => {
    const [x, y] = pixelOf(at, [u, v]);
    return tables.box(x, y, wide * apart, high * apart);
  };
  const cheeks = [box(-0.48, 0.52, 0.13, 0.1), box(0.48, 0.52, 0.13, 0.1)] as const;
  const bridge = box(0, 0.04, 0.07, 0.1);
  const skin = [...cheeks, bridge, box(0, 0.45, 0.09, 0.12)];
  // Skin has one colour.
  const tones = skin.map((one) => tables.tone(one));
  const red = mean(tones.map(([share]) => share));
  const green = mean(tones.map(([, share]) => share));
  const isSkin = skinLikeness([red, green]);
  if (isSkin < 0.25) return 0;
  const lights = skin.map((one) => tables.light(one));
  const level = mean(lights);
  // Dark skin has less contrast.
  const scale = 16 + 0.22 * level;
  const eyes = [box(-0.5, 0, 0.16, 0.08), box(0.5, 0, 0.16, 0.08)] as const;
  const rough = cheeks.map((cheek) => tables.deviation(cheek));
  const detail = Math.min(...eyes.map((eye, i) => tables.deviation(eye) - rough[i]!)) / scale;
  // Cheeks are smooth.
  if (detail < 0 || Math.max(...rough) > 0.4 * scale) return 0;
  // In dark faces, the white of the eyes is brighter than the skin.
  const pupils = [-0.5, 0.5].map((u) => tables.light(box(u, 0, 0.06, 0.06)));
  const dark = Math.min(...pupils.map((pupil, i) => (lights[i]! + lights[2]!) / 2 - pupil)) / scale;
  const spread = Math.max(...tones.map(([r, g]) => Math.abs(r - red) + Math.abs(g - green)));
  const mouth = box(0, 1.06, 0.26, 0.045);
  const lips =
    (level - tables.light(mouth)) / scale +
    (tables.tone(mouth)[0] - red) * 18 +
    (tables.deviation(mouth) - tables.deviation(box(0, 1.42, 0.16, 0.06))) / scale;
  // The lids are brighter than the eyes below and the brows above.
  const lids = [box(-0.5, -0.19, 0.14, 0.03), box(0.5, -0.19, 0.14, 0.03)] as const;
  const lid = Math.min(...lids.map((one, i) => tables.light(one) - pupils[i]!)) / scale;
  const uneven = Math.abs(lights[0]! - lights[1]!) + Math.abs(pupils[0]! - pupils[1]!);
  const pupil = Math.min(...eyes.map((eye, i) => tables.light(eye) - pupils[i]!)) / scale;
  // Beside a head is something else: this keeps details of a face from being taken for a small face.
  const beside = [box(-1.5, 0.2, 0.12, 0.2), box(1.5, 0.2, 0.12, 0.2)].map((one) => {
    const [r, g] = tables.tone(one);
    return (Math.abs(r - red) + Math.abs(g - green)) / 0.05 + Math.abs(tables.light(one) - level) / scale;
  });
  const larger = Math.log2(apart / Math.min(tables.width, tables.height));
  const terms = [
    1.3 * clamped(dark),
    1.2 * clamped(detail / 0.6),
    0.9 * clamped(lips / 1.4),
    0.5 * clamped(lid),
    0.8 * clamped(pupil / 0.6),
    0.8 * isSkin,
    0.8 * clamped(1 - spread / 0.08),
    0.5 * clamped(1 - uneven / (2.5 * scale)),
    -1.6 * clamped(Math.max(...rough) / scale),
    0.6 * clamped(Math.min(...beside)),
    0.08 * larger,
  ];
  return terms.reduce((sum, term) => sum + term, 0);
}

function handlesAt(tables: Tables, at: Candidate): Handles {
  const { apart } = at;
  const light = (u: number, v: number, wide: number, high: number) => {
    const [x, y] = pixelOf(at, [u, v]);
    return tables.light(tables.box(x, y, wide * apart, high * apart));
  };
  /** A dark place near `u`, with the white of the eye or skin on both sides. */
  const pupil = (u: number): Place => {
    const places: Place[] = [];
    for (let du = -0.14; du <= 0.141; du += 0.02)
      for (let dv = -0.14; dv <= 0.141; dv += 0.02) places.push([u + du, dv]);
    return least(places, ([x, y]) => {
      const sides = Math.min(light(x - 0.15, y, 0.04, 0.05), light(x + 0.15, y, 0.04, 0.05));
      return light(x, y, 0.06, 0.06) - 0.6 * sides + 40 * Math.hypot(x - u, y);
    });
  };
  /** The darkest line between the lips. */
  const gap = (u: number, wide: number, from: number, to: number): Place => {
    const places: Place[] = [];
    for (let v = from; v <= to; v += 0.02) places.push([u, v]);
    return least(places, ([x, v]) => light(x, v, wide, 0.012) + 50 * Math.abs(v - (from + to) / 2));
  };
  const middle = gap(0, 0.16, 0.88, 1.26);
  const v = middle[1];
  const corner = (side: number): Place => {
    const cheek = light(side * 0.62, v - 0.05, 0.05, 0.05);
    const inside = light(side * 0.15, v, 0.1, 0.02);
    let u = 0.22;
    while (u < 0.55 && light(side * (u + 0.03), v - 0.01, 0.02, 0.025) < inside + (cheek - inside) * 0.6)
      u += 0.02;
    // A mean of the measured and the usual width.
    return [side * (0.6 * u + 0.4 * 0.4), gap(side * 0.3, 0.05, v - 0.08, v + 0.08)[1]];
  };
  const edges: Place[] = [];
  for (let down = v + 0.45; down <= v + 0.95; down += 0.02) edges.push([0, down]);
  const chin = least(edges, ([, down]) => {
    const edge = Math.abs(light(0, down - 0.05, 0.12, 0.03) - light(0, down + 0.05, 0.12, 0.03));
    return 45 * Math.abs(down - v - 0.66) - edge;
  });
  return handlesIn(at, tables.width, tables.height, {
    leftEye: pupil(-0.5),
    rightEye: pupil(0.5),
    leftCorner: corner(-1),
    middle,
    rightCorner: corner(1),
    chin,
  });
}

function least(places: readonly Place[], costOf: (place: Place) => number): Place {
  let best = places[0]!;
  let bestValue = Number.POSITIVE_INFINITY;
  for (const place of places) {
    const value = costOf(place);
    if (value < bestValue) [best, bestValue] = [place, value];
  }
  return best;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
