import { readdirSync, readFileSync } from 'node:fs';
import { type Rig, rigSchema } from '@session-launch/contract/rig';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';

const avatars = new URL('../../../examples/assets/avatars/', import.meta.url);
const names = readdirSync(avatars);
const valid = new Ajv2020().compile<Rig>(rigSchema);

function read(name: string) {
  const rig: Rig = JSON.parse(readFileSync(new URL(`${name}/rig.json`, avatars), 'utf8'));
  return { rig, picture: readFileSync(new URL(`${name}/${rig.image}`, avatars), 'utf8') };
}

function partsOf({ head, eyes, brows, mouth, breathe }: Rig): string[] {
  return [...head.parts, eyes.pupils, eyes.shine, eyes.lids, brows, mouth.replace, breathe?.part].filter(
    (part) => part !== undefined,
  );
}

test('eight characters of the demo have drawings', () => {
  expect(names).toHaveLength(8);
});

describe.each(names)('the rig of %s', (name) => {
  test('is valid', () => {
    expect(valid(read(name).rig), JSON.stringify(valid.errors)).toBe(true);
  });

  test('refers to parts that the picture has once, and that a player may move', () => {
    const { rig, picture } = read(name);
    const parts = partsOf(rig);
    expect(new Set(parts).size).toBe(parts.length);
    for (const part of parts) {
      const tags = [...picture.matchAll(/<\w+\s[^>]*>/g)].filter(([tag]) => tag.includes(` id="${part}"`));
      expect(tags, part).toHaveLength(1);
      expect(tags[0]?.[0], part).not.toContain('transform=');
    }
  });

  test('has pivot, eyes and mouth inside the picture', () => {
    const { rig, picture } = read(name);
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(picture)?.map(Number) ?? [];
    const { at, width: half, height: open } = rig.mouth;
    const points = [
      rig.head.pivot,
      [at[0] - half, at[1] - open / 2],
      [at[0] + half, at[1] + open / 2],
      [at[0], rig.eyes.blink.about],
    ] as const;
    for (const [x, y] of points) {
      expect(x).toBeGreaterThan(0);
      expect(x).toBeLessThan(width ?? 0);
      expect(y).toBeGreaterThan(0);
      expect(y).toBeLessThan(height ?? 0);
    }
    expect(rig.eyes.blink.about).toBeLessThan(at[1]);
    expect(at[1]).toBeLessThan(rig.head.pivot[1]);
  });
});
