import type { PictureRig } from '@session-launch/contract/rig';
import sharp from 'sharp';

/** How a portrait looks, and where the face is. */
interface Look {
  width: number;
  height: number;
  type: 'png' | 'jpeg' | 'webp';
  /** The middle between the eyes, and the distance of the eyes, in pixels. */
  at: [x: number, y: number];
  apart: number;
  /** Degrees by which the head is tilted, clockwise. */
  angle: number;
  skin: string;
  lips: string;
  hair: string;
  iris: string;
  clothes: string;
  background: [string, string];
  style: 'long' | 'short' | 'fringe' | 'scarf' | 'bald';
  beard?: 'full' | 'moustache';
  hasGlasses?: true;
  /** Darkens one side, from 0 to 1. */
  shadow: number;
}

const looks = {
  ada: {
    width: 600,
    height: 800,
    type: 'jpeg',
    at: [300, 350],
    apart: 96,
    angle: 0,
    skin: '#eec3a2',
    lips: '#b9605c',
    hair: '#5b3a26',
    iris: '#5b7f6a',
    clothes: '#31557a',
    background: ['#b9cbd2', '#7f97a3'],
    style: 'long',
    shadow: 0.25,
  },
  kofi: {
    width: 900,
    height: 900,
    type: 'jpeg',
    at: [470, 380],
    apart: 118,
    angle: 8,
    skin: '#5d3a28',
    lips: '#7a453d',
    hair: '#17110f',
    iris: '#2b1a12',
    clothes: '#d0b07a',
    background: ['#8a9a72', '#4d5b41'],
    style: 'short',
    beard: 'full',
    shadow: 0.3,
  },
  otto: {
    width: 1200,
    height: 800,
    type: 'jpeg',
    at: [390, 300],
    apart: 70,
    angle: -4,
    skin: '#dca98b',
    lips: '#a9645a',
    hair: '#b8b4ae',
    iris: '#5f7896',
    clothes: '#4a4450',
    background: ['#d9d2c5', '#a89a85'],
    style: 'bald',
    hasGlasses: true,
    shadow: 0.35,
  },
  mei: {
    width: 640,
    height: 640,
    type: 'png',
    at: [330, 270],
    apart: 150,
    angle: -14,
    skin: '#e8bd95',
    lips: '#b5524f',
    hair: '#16130f',
    iris: '#3a2518',
    clothes: '#8f2f3f',
    background: ['#efe6da', '#d3c3b0'],
    style: 'fringe',
    shadow: 0.15,
  },
  noor: {
    width: 720,
    height: 960,
    type: 'webp',
    at: [350, 400],
    apart: 112,
    angle: 3,
    skin: '#b07c58',
    lips: '#94504a',
    hair: '#1f4f58',
    iris: '#40281a',
    clothes: '#2a3038',
    background: ['#c7b299', '#9a7f63'],
    style: 'scarf',
    hasGlasses: true,
    shadow: 0.3,
  },
  finn: {
    width: 1000,
    height: 700,
    type: 'jpeg',
    at: [640, 290],
    apart: 90,
    angle: 12,
    skin: '#f0cdb8',
    lips: '#c07a70',
    hair: '#a4502a',
    iris: '#4d86a0',
    clothes: '#24402f',
    background: ['#2c3138', '#12151a'],
    style: 'short',
    beard: 'moustache',
    shadow: 0.55,
  },
} satisfies Record<string, Look>;

export type PortraitName = keyof typeof looks;
export const portraitNames = Object.keys(looks) as PortraitName[];

export interface DrawnPortrait {
  content: Buffer;
  type: 'png' | 'jpeg' | 'webp';
  width: number;
  height: number;
  /** Where the parts of the face really are. */
  rig: PictureRig;
}

const drawn = new Map<string, Promise<DrawnPortrait>>();

/**
 * Draws a portrait in pixels, `scale` times as large as usual. Portraits must be drawn before a service in this process has resized a
 * picture: from then on, sharp reads no SVG.
 */
export function drawPortrait(name: PortraitName, scale = 1): Promise<DrawnPortrait> {
  const key = `${name} ${scale}`;
  const portrait = drawn.get(key) ?? draw(looks[name], scale);
  drawn.set(key, portrait);
  return portrait;
}

async function draw(look: Look, scale: number): Promise<DrawnPortrait> {
  const [width, height] = [look.width * scale, look.height * scale];
  const image = sharp(Buffer.from(svgOf(look)), { density: 72 * scale }).resize(width, height);
  const content = await image[look.type]({ quality: 92 }).toBuffer();
  return { content, type: look.type, width, height, rig: rigOf(look) };
}

function rigOf({ width, height, type, at, apart, angle }: Look): PictureRig {
  const turn = (angle * Math.PI) / 180;
  /** A point in the coordinates of the face, as a fraction of the picture. */
  const place = (x: number, y: number): [number, number] => [
    (at[0] + (apart / 100) * (x * Math.cos(turn) - y * Math.sin(turn))) / width,
    (at[1] + (apart / 100) * (x * Math.sin(turn) + y * Math.cos(turn))) / height,
  ];
  return {
    rig: 2,
    image: `full.${type === 'jpeg' ? 'jpg' : type}`,
    eyes: { left: place(-50, 0), right: place(50, 0) },
    mouth: { left: place(-42, 104), middle: place(0, 106), right: place(42, 104) },
    chin: place(0, 172),
  };
}

/** In the coordinates of the face, the eyes are at (-50, 0) and (50, 0). */
function svgOf(look: Look): string {
  const { width, height, at, apart, angle, skin, lips, hair, background, shadow } = look;
  const face = `translate(${at[0]} ${at[1]}) rotate(${angle}) scale(${apart / 100})`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<defs>
  <radialGradient id="back" cx=".4" cy=".35" r=".9"><stop stop-color="${background[0]}"/><stop offset="1" stop-color="${background[1]}"/></radialGradient>
  <linearGradient id="side"><stop stop-color="#fff" stop-opacity=".16"/><stop offset=".45" stop-color="#000" stop-opacity="0"/><stop offset="1" stop-color="#200c04" stop-opacity="${shadow}"/></linearGradient>
  <radialGradient id="ball" cx=".5" cy=".45" r=".6"><stop stop-color="#fff" stop-opacity=".14"/><stop offset=".7" stop-color="#000" stop-opacity="0"/><stop offset="1" stop-color="#200c04" stop-opacity=".3"/></radialGradient>
  <linearGradient id="lip" x2="0" y2="1"><stop stop-color="#000" stop-opacity=".25"/><stop offset=".5" stop-color="#fff" stop-opacity=".18"/><stop offset="1" stop-color="#000" stop-opacity=".12"/></linearGradient>
  <filter id="soft" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="7"/></filter>
  <filter id="fine" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="1.1"/></filter>
  <filter id="grain" x="0" y="0" width="100%" height="100%"><feTurbulence type="fractalNoise" baseFrequency=".8" numOctaves="2"/><feColorMatrix values="0 0 0 0 .5  0 0 0 0 .5  0 0 0 0 .5  0 0 0 .9 -.35"/></filter>
  <clipPath id="head"><path d="${headPath}"/></clipPath>
</defs>
<rect width="100%" height="100%" fill="url(#back)"/>
<g filter="url(#soft)" opacity=".5"><rect x="${width * 0.72}" width="${width * 0.2}" height="${height * 0.6}" fill="${background[1]}"/><circle cx="${width * 0.14}" cy="${height * 0.7}" r="${width * 0.09}" fill="${background[0]}"/></g>
<g transform="translate(${at[0]} ${at[1]}) scale(${apart / 100})">
  <path d="M-330 640C-320 330-150 285-62 255L0 262 62 255C150 285 320 330 330 640Z" fill="${look.clothes}"/>
  <path d="M-66 120L-74 262Q0 330 74 262L66 120Z" fill="${skin}"/><path d="M-66 150Q0 250 68 150L72 215Q0 275-72 215Z" fill="#200c04" opacity=".34" filter="url(#soft)"/>
</g>
<g transform="${face}">
  ${behind(look)}
  <ellipse cx="-116" cy="22" rx="17" ry="30" fill="${skin}"/><ellipse cx="116" cy="22" rx="17" ry="30" fill="${skin}"/>
  <path d="${headPath}" fill="${skin}"/>
  <g clip-path="url(#head)">
    <path d="${headPath}" fill="url(#ball)"/><path d="${headPath}" fill="url(#side)"/>
    <g filter="url(#soft)"><ellipse cx="-66" cy="66" rx="30" ry="20" fill="${lips}" opacity=".22"/><ellipse cx="66" cy="66" rx="30" ry="20" fill="${lips}" opacity=".22"/>
      <path d="M12-10Q30 40 24 66L0 70 2 10Z" fill="#200c04" opacity=".2"/><ellipse cx="0" cy="137" rx="30" ry="7" fill="#200c04" opacity=".2"/>
      <ellipse cx="-50" cy="-8" rx="36" ry="20" fill="#200c04" opacity=".16"/><ellipse cx="50" cy="-8" rx="36" ry="20" fill="#200c04" opacity=".16"/><ellipse cx="0" cy="30" rx="8" ry="30" fill="#fff" opacity=".2"/></g>
    ${look.beard === 'full' ? `<path d="M-118 40C-112 90-70 84-50 92Q0 74 50 92C70 84 112 90 118 40L130 230H-130Z" fill="${hair}" opacity=".93" filter="url(#fine)"/>` : ''}
  </g>
  <g filter="url(#fine)"><path d="M-21 62Q-13 72 0 68Q13 72 21 62Q14 77 0 74Q-14 77-21 62Z" fill="#200c04" opacity=".42"/><ellipse cx="-9" cy="67" rx="5" ry="3" fill="#200c04" opacity=".5"/><ellipse cx="9" cy="67" rx="5" ry="3" fill="#200c04" opacity=".5"/></g>
  ${look.beard === 'moustache' ? `<path d="M-52 104Q-40 80 0 84Q40 80 52 104Q30 96 0 96Q-30 96-52 104Z" fill="${hair}" filter="url(#fine)"/>` : ''}
  ${eye(-50, look)}${eye(50, look)}
  <path d="M-80-38Q-52-52-22-36L-22-29Q-52-43-80-33Z" fill="${brow(look)}" filter="url(#fine)"/><path d="M80-38Q52-52 22-36L22-29Q52-43 80-33Z" fill="${brow(look)}" filter="url(#fine)"/>
  <g filter="url(#fine)"><path d="M-42 104Q-22 94-9 93Q0 97 9 93Q22 94 42 104Q20 108 0 106.500Q-20 108-42 104Z" fill="${lips}"/><path d="M-42 104Q-20 107 0 106Q20 107 42 104Q24 126 0 126Q-24 126-42 104Z" fill="${lips}"/><path d="M-42 104Q-24 126 0 126Q24 126 42 104L0 106Z" fill="url(#lip)"/></g>
  <path d="M-43 103.500Q-20 107 0 106Q20 107 43 103.500" fill="none" stroke="#3a1210" stroke-width="2.200" stroke-linecap="round" opacity=".75"/>
  ${inFront(look)}
  ${look.hasGlasses ? glasses : ''}
</g>
<rect width="100%" height="100%" filter="url(#grain)" opacity=".1"/>
</svg>`;
}

const headPath =
  'M0-160C78-160 118-104 117-30C116 22 112 70 92 112C74 148 36 172 0 172C-36 172-74 148-92 112C-112 70-116 22-117-30C-118-104-78-160 0-160Z';

const brow = ({ style, hair }: Look) => (style === 'scarf' ? '#2a1a12' : hair);

function eye(x: number, { iris, skin }: Look): string {
  return `<g transform="translate(${x} 0)">
    <path d="M-26 3Q-8-12 2-11.500Q16-11 26 2Q12 11 0 10.500Q-14 10-26 3Z" fill="#f3efe9"/>
    <clipPath id="open${x}"><path d="M-26 3Q-8-12 2-11.500Q16-11 26 2Q12 11 0 10.500Q-14 10-26 3Z"/></clipPath>
    <g clip-path="url(#open${x})"><circle r="11.500" fill="${iris}"/><circle r="5" fill="#0c0806"/><circle cx="-4" cy="-4" r="2.600" fill="#fff"/><path d="M-26-12H26V-6Q0-12-26 3Z" fill="#000" opacity=".3"/></g>
    <path d="M-27 3Q-8-13 2-12.500Q17-12 28 2" fill="none" stroke="#1d100b" stroke-width="3.200" stroke-linecap="round"/>
    <path d="M-24 5Q-12 11 0 11Q12 11.500 25 4" fill="none" stroke="#2a120b" stroke-width="1" opacity=".5"/>
    <path d="M-24-9Q0-24 25-8" fill="none" stroke="#200c04" stroke-width="1.600" opacity=".4"/><path d="M-24-9Q0-22 25-8L25-6Q0-19-24-7Z" fill="${skin}" opacity=".5"/>
  </g>`;
}

function behind({ style, hair }: Look): string {
  if (style === 'long')
    return `<path d="M0-186C120-190 150-90 146 20C144 120 170 220 150 330C60 300-60 300-150 330C-170 220-144 120-146 20C-150-90-120-190 0-186Z" fill="${hair}"/>`;
  if (style === 'fringe')
    return `<path d="M0-186C124-188 148-96 144 0C142 70 150 110 138 170L-138 170C-150 110-142 70-144 0C-148-96-124-188 0-186Z" fill="${hair}"/>`;
  if (style === 'scarf')
    return `<path d="M0-196C140-196 170-70 158 60C150 170 190 260 240 330H-240C-190 260-150 170-158 60C-170-70-140-196 0-196Z" fill="${hair}"/>`;
  if (style === 'short')
    return `<path d="M0-184C110-188 136-100 126-10L116-20C100-110-100-110-116-20L-126-10C-136-100-110-188 0-184Z" fill="${hair}"/>`;
  return `<path d="M-124-20C-134 20-128 40-118 50L-112-50Z" fill="${hair}"/><path d="M124-20C134 20 128 40 118 50L112-50Z" fill="${hair}"/>`;
}

function inFront({ style, hair }: Look): string {
  if (style === 'long')
    return `<path d="M0-172C110-176 138-80 126 30C112-30 96-70 40-112C-10-84-96-60-122 30C-138-80-110-176 0-172Z" fill="${hair}"/>`;
  if (style === 'fringe')
    return `<path d="M0-178C120-178 138-80 130 30L112-50Q0-70-112-50L-130 30C-138-80-120-178 0-178Z" fill="${hair}"/>`;
  if (style === 'short')
    return `<path d="M0-176C100-180 128-100 119-30C106-70 98-92 70-104Q0-120-70-104C-98-92-106-70-119-30C-128-100-100-180 0-176Z" fill="${hair}" filter="url(#fine)"/>`;
  if (style === 'scarf')
    return `<path fill-rule="evenodd" d="M0-190C136-190 160-70 150 60C142 150 90 214 0 214C-90 214-142 150-150 60C-160-70-136-190 0-190ZM0-112C-70-112-104-60-102 10C-100 90-60 176 0 176C60 176 100 90 102 10C104-60 70-112 0-112Z" fill="${hair}"/><path d="M-102 10C-100 90-60 176 0 176C60 176 100 90 102 10" fill="none" stroke="#000" stroke-width="6" opacity=".22" filter="url(#fine)"/>`;
  return '';
}

const glasses = `<g fill="none" stroke="#26211f" stroke-width="4.500"><rect x="-88" y="-27" width="74" height="54" rx="20"/><rect x="14" y="-27" width="74" height="54" rx="20"/><path d="M-14-8Q0-16 14-8M-88-10L-116-14M88-10L116-14"/></g><path d="M-78-14L-50-20 -66 16 -80 12Z" fill="#fff" opacity=".1"/><path d="M24-14L52-20 36 16 22 12Z" fill="#fff" opacity=".1"/>`;
