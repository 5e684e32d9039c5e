import { deployedService } from '@session-launch/testing/deployment.ts';
import { connect } from '@session-launch/testing/lifecycle.ts';
import {
  apply,
  createWorld,
  expectError,
  mintFromServer,
  runtime,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { canResize, download } from '../harness/art.ts';
import { drawing, drawingRig, pictureRig, uploadFace } from '../harness/faces.ts';
import { avif, jpeg, png, svg, webp } from '../harness/pictures.ts';

const service = deployedService();
const listFaces = async (projectId: string) =>
  (await service.admin({ path: `/admin/projects/${projectId}/faces` })).json.faces;
const remove = (projectId: string, faceId: string) =>
  service.admin({ method: 'DELETE', path: `/admin/projects/${projectId}/faces/${faceId}` });

let world: World;
beforeAll(async () => {
  world = await createWorld(service);
});

describe('uploading', () => {
  test('a drawing is listed, and its three files are served on both listeners for good', async () => {
    const { projectId } = world;
    const answer = await uploadFace(service, projectId, { thumb: webp, name: 'Ada' });
    expect(answer.status, answer.text).toBe(201);
    const { faceId } = answer.json;
    expect(answer.json).toEqual({
      faceId: expect.stringMatching(/^fac_[0-9a-f]{32}$/),
      name: 'Ada',
      rig: 1,
      fullPath: `/avatars/${faceId}/full.svg`,
      thumbPath: `/avatars/${faceId}/thumb.webp`,
      bytes: drawing().length + webp.length + JSON.stringify(drawingRig).length,
      usedBy: [],
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(await listFaces(projectId)).toContainEqual(answer.json);
    const files = [
      ['full.svg', 'image/svg+xml', drawing()],
      ['thumb.webp', 'image/webp', webp],
      ['rig.json', 'application/json', Buffer.from(JSON.stringify(drawingRig))],
    ] as const;
    for (const [name, type, content] of files)
      for (const [base, origin] of [
        [service.url, 'cross-origin'],
        [service.adminUrl, 'same-origin'],
      ] as const) {
        const url = `${base}/avatars/${faceId}/${name}`;
        const served = await download(url);
        expect([served.status, served.content.equals(content)], name).toEqual([200, true]);
        expect(served.headers.get('content-type')).toContain(type);
        expect(Object.fromEntries(served.headers)).toMatchObject({
          'cache-control': 'public, max-age=31536000, immutable',
          'cross-origin-resource-policy': origin,
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
          'x-content-type-options': 'nosniff',
        });
        const current = await download(url, { 'If-None-Match': served.headers.get('etag')! });
        expect([current.status, current.content.length]).toEqual([304, 0]);
      }
  });

  test('a picture is resized like other art', async () => {
    const answer = await uploadFace(service, world.projectId, {
      full: jpeg,
      thumb: png(9, 9),
      rig: pictureRig,
    });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json).toMatchObject({ rig: 2, fullPath: expect.stringMatching(/\/full\.jpg$/) });
    const small = await download(`${service.url}${answer.json.fullPath}?w=320`);
    expect(small.headers.get('content-type')).toBe(canResize ? 'image/webp' : 'image/jpeg');
    const rig = await service.call({ path: `/avatars/${answer.json.faceId}/rig.json` });
    expect(rig.json).toEqual(pictureRig);
  });

  test('the same files again, also at once, are the same face; another project has its own', async () => {
    const { projectId } = await createWorld(service);
    const answers = await Promise.all(Array.from({ length: 5 }, () => uploadFace(service, projectId)));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201));
    const [first] = answers;
    for (const { json } of answers) expect(json).toEqual(first!.json);
    expect(await listFaces(projectId)).toEqual([first!.json]);
    const other = await createWorld(service);
    const { json } = await uploadFace(service, other.projectId);
    expect(json.faceId).not.toBe(first!.json.faceId);
    const changed = await uploadFace(service, projectId, { rig: { ...drawingRig, brows: 'body' } });
    expect(changed.json.faceId).not.toBe(first!.json.faceId);
  });
});

describe('refusing', () => {
  const of = (change: object) => ({ rig: { ...drawingRig, ...change } });
  const mouth = (change: object) => of({ mouth: { ...drawingRig.mouth, ...change } });
  const eyes = (change: object) => of({ eyes: { ...drawingRig.eyes, ...change } });
  const picture = (change: object) => ({ full: jpeg, thumb: webp, rig: { ...pictureRig, ...change } });
  const many = Array.from({ length: 21 }, (_, n) => `part${n}`);

  test.each<[string, Parameters<typeof uploadFace>[2], string, string]>([
    ['a file that is not Base64', { full: 'no Base64' }, 'full', 'Base64'],
    ['an empty file', { full: '' }, 'full', 'must'],
    ['a file that is no picture', { full: Buffer.from('words') }, 'full', 'not a picture'],
    ['an SVG with an entity', { full: Buffer.from('<!DOCTYPE svg><svg/>') }, 'full', 'DOCTYPE'],
    [
      'an SVG that refers to a file',
      { full: svg('<image href="https://a.example/b.png"/>') },
      'full',
      'refers',
    ],
    ['a damaged thumbnail', { thumb: jpeg.subarray(0, 30) }, 'thumb', 'damaged'],
    ['a thumbnail that is too large', { thumb: drawing('x'.repeat(530_000)) }, 'thumb', 'must'],
    ['an unknown version', { rig: { rig: 3 } }, 'rig.rig', 'must be one of 1, 2'],
    ['a rig without its fields', { rig: { rig: 1 } }, 'rig.image', 'is required'],
    ['an unknown field', of({ script: 'x' }), 'rig.script', 'not a known field'],
    ['a picture with the rig of a drawing', { full: png(9, 9) }, 'full', 'does not fit the rig'],
    ['a drawing with the rig of a picture', { rig: pictureRig }, 'full', 'does not fit the rig'],
    ['an AVIF', { full: avif, rig: pictureRig }, 'full', 'is an AVIF'],
    ['another name of the picture', of({ image: 'other.svg' }), 'rig.image', 'must be full.svg'],
    ['a path as the picture', of({ image: '../full.svg' }), 'rig.image', 'must'],
    ['a part that is missing', mouth({ replace: 'lips' }), 'rig.mouth.replace', 'does not have'],
    ['a part with a transform', of({ brows: 'tilted' }), 'rig.brows', 'transform'],
    ['a selector as a part', eyes({ pupils: 'a,b' }), 'rig.eyes.pupils', 'must'],
    ['too many parts', of({ head: { ...drawingRig.head, parts: many } }), 'rig.head.parts', 'at most 20'],
    ['a huge number', mouth({ width: 1e300 }), 'rig.mouth.width', 'must'],
    ['a negative width', mouth({ width: -1 }), 'rig.mouth.width', 'must'],
    ['null as a number', mouth({ at: [null, 3] }), 'rig.mouth.at[0]', 'must be a number'],
    ['one coordinate', mouth({ at: [3] }), 'rig.mouth.at', 'must'],
    [
      'a URL as a colour',
      mouth({ colors: { ...drawingRig.mouth.colors, lip: 'url(#a)' } }),
      'rig.mouth.colors.lip',
      'must',
    ],
    ['a point outside the picture', picture({ chin: [0.5, 1.2] }), 'rig.chin[1]', 'must'],
    ['a point left of the picture', picture({ chin: [-0.1, 0.7] }), 'rig.chin[0]', 'must'],
    ['a huge point', picture({ chin: [0.5, 1e308] }), 'rig.chin[1]', 'must'],
    ['a point of text', picture({ chin: ['0.5', 0.7] }), 'rig.chin[0]', 'must be a number'],
    ['three coordinates', picture({ chin: [0.5, 0.7, 0.1] }), 'rig.chin', 'must'],
    [
      'a mouth without its middle',
      picture({ mouth: { left: [0.4, 0.6], right: [0.6, 0.6] } }),
      'rig.mouth.middle',
      'is required',
    ],
    [
      'corners in one place',
      picture({ mouth: { left: [0.5, 0.6], middle: [0.5, 0.61], right: [0.5, 0.6] } }),
      'rig.mouth.right',
      'away from',
    ],
    [
      'eyes that are too high',
      picture({ eyes: { ...pictureRig.eyes, height: 0.61 } }),
      'rig.eyes.height',
      'must',
    ],
    ['eyes without height', picture({ eyes: { ...pictureRig.eyes, height: 0 } }), 'rig.eyes.height', 'must'],
    ['an unknown field of a picture', picture({ nose: [0.5, 0.5] }), 'rig.nose', 'not a known field'],
    [
      'eyes in one place',
      picture({ eyes: { left: [0.5, 0.4], right: [0.5, 0.4] } }),
      'rig.eyes.right',
      'away from',
    ],
    ['a chin on the mouth', picture({ chin: [0.5, 0.61] }), 'rig.chin', 'away from'],
    ['another extension', picture({ image: 'full.png' }), 'rig.image', 'must be full.jpg'],
    ['a rig of 17 KiB', of({ brows: 'x'.repeat(17_000) }), 'rig', 'larger than 16 KiB'],
  ])('%s', async (_, files, path, message) => {
    const answer = await uploadFace(service, world.projectId, files);
    expectError(answer, 400, 'INVALID_REQUEST');
    expect(answer.json.error.details[0]).toEqual({ path, message: expect.stringContaining(message) });
  });

  test('more than 4 MiB, and a project that does not exist', async () => {
    const answer = await uploadFace(service, world.projectId, { full: drawing('x'.repeat(2 ** 22)) });
    expectError(answer, 413, 'PAYLOAD_TOO_LARGE');
    expectError(await uploadFace(service, 'prj_nobody'), 404, 'PROJECT_NOT_FOUND');
  });
});

describe('using and deleting', () => {
  test('a face is in use by its id or by a path, in settings and in a runtime document', async () => {
    const { projectId, experienceId, file } = await createWorld(service);
    const ids: string[] = [];
    for (const n of ['id', 'path', 'thumbnail', 'avatarId', 'unused'])
      ids.push((await uploadFace(service, projectId, { full: drawing(n) })).json.faceId);
    const [byId, byPath, thumbnail, avatarId, unused] = ids as [string, string, string, string, string];
    const [experience] = file.experiences;
    const [one] = experience!.runtime.characters;
    const avatar = { avatarId: byId, modelPath: `/avatars/${byPath}/full.svg` };
    const changed = {
      ...experience,
      avatarId,
      thumbnailPath: `/avatars/${thumbnail}/thumb.svg`,
      runtime: runtime({ characters: [{ ...one, avatar }] }),
    };
    const applied = await apply(service, { ...file, experiences: [changed] });
    expect(applied.status, applied.text).toBe(200);
    for (const { faceId, usedBy } of await listFaces(projectId))
      expect(usedBy, String(ids.indexOf(faceId))).toEqual(faceId === unused ? [] : [experienceId]);
    for (const faceId of [byId, byPath, thumbnail, avatarId]) {
      const answer = await remove(projectId, faceId);
      expectError(answer, 409, 'ART_IN_USE');
      expect(answer.json.error.message).toContain('This face is used by');
      expect(answer.json.error.details).toEqual({ usedBy: [experienceId] });
    }
    expect((await remove(projectId, unused)).status).toBe(204);
    const without = { ...changed, avatarId: undefined, thumbnailPath: undefined, runtime: runtime() };
    expect((await apply(service, { ...file, experiences: [without] })).status).toBe(200);
    expect((await remove(projectId, byId)).status).toBe(204);
  });

  test('an exported project names its faces, which have the same ids when they are uploaded again', async () => {
    const { projectId, file } = await createWorld(service);
    const { json: face } = await uploadFace(service, projectId);
    const [experience] = file.experiences;
    const [one] = experience!.runtime.characters;
    const avatar = { avatarId: face.faceId, recipe: { head: 'round', skin: '#aabbcc' } };
    const changed = { ...experience, runtime: runtime({ characters: [{ ...one, avatar }] }) };
    expect((await apply(service, { ...file, experiences: [changed] })).status).toBe(200);
    const exported = await service.admin({ path: `/admin/projects/${projectId}` });
    expect(exported.json.experiences[0].runtime.characters[0].avatar).toEqual(avatar);
    expect(
      (await apply(service, { ...file, experiences: [{ ...experience, runtime: runtime() }] })).status,
    ).toBe(200);
    expect((await remove(projectId, face.faceId)).status).toBe(204);
    expectError(await service.call({ path: face.fullPath }), 404, 'NOT_FOUND');
    expectError(await remove(projectId, face.faceId), 404, 'FACE_NOT_FOUND');
    expect((await uploadFace(service, projectId)).json.faceId).toBe(face.faceId);
    expect((await download(service.url + face.fullPath)).status).toBe(200);
  });

  test('the recipe of a face is no part of a manifest, and is at most 4,096 characters long', async () => {
    const { projectId, experienceId, file, key } = await createWorld(service);
    const [experience] = file.experiences;
    const [one] = experience!.runtime.characters;
    const put = (avatar: object) =>
      apply(service, {
        ...file,
        experiences: [{ ...experience, runtime: runtime({ characters: [{ ...one, avatar }] }) }],
      });
    const avatar = {
      avatarId: 'ada',
      recipe: { maker: 1, hair: 'bob' },
      modelPath: '/avatars/ada/model.glb',
    };
    expect((await put(avatar)).status).toBe(200);
    const { recipe: _private, ...sent } = avatar;
    const minted = await mintFromServer(service, key, { experienceId });
    expect(minted.json.launch.characters[0].avatar).toEqual(sent);
    const { sessionId, sessionToken } = minted.json.launch;
    const connected = await connect(service, { sessionId, sessionToken });
    expect(connected.json.manifest.characters[0].avatar).toEqual(sent);
    const longest = { text: 'x'.repeat(4096 - JSON.stringify({ text: '' }).length) };
    expect((await put({ recipe: longest })).status).toBe(200);
    const refused = await put({ recipe: { ...longest, more: '' } });
    expectError(refused, 400, 'PROJECT_FILE_INVALID');
    expect(refused.json.error.details[0]).toMatchObject({
      path: expect.stringMatching(/characters\[0\]\.avatar\.recipe$/),
      message: expect.stringContaining('is longer than 4096 characters'),
    });
    expect((await service.admin({ path: `/admin/projects/${projectId}` })).text).toContain(longest.text);
  });

  test('a face of another project does not exist here', async () => {
    const other = await createWorld(service);
    const { json } = await uploadFace(service, other.projectId);
    expectError(await remove(world.projectId, json.faceId), 404, 'FACE_NOT_FOUND');
    expectError(await remove(world.projectId, 'fac_nothing'), 404, 'FACE_NOT_FOUND');
    expect(await listFaces(other.projectId)).toEqual([json]);
  });

  test('a picture is also served where players that know only drawings look for one', async () => {
    const { projectId } = await createWorld(service);
    const { json } = await uploadFace(service, projectId, { full: jpeg, thumb: webp, rig: pictureRig });
    for (const [name, type, content] of [
      ['full.svg', 'image/jpeg', jpeg],
      ['thumb.svg', 'image/webp', webp],
    ] as const) {
      const served = await download(`${service.url}/avatars/${json.faceId}/${name}`);
      expect(served.status).toBe(200);
      expect(served.headers.get('content-type')).toBe(type);
      expect(served.content.equals(content)).toBe(true);
    }
    expectError(await service.call({ path: `/avatars/${json.faceId}/full.png` }), 404, 'NOT_FOUND');
  });

  test('paths that no face has get 404', async () => {
    const { json } = await uploadFace(service, world.projectId);
    for (const path of [
      json.fullPath.replace('.svg', '.png'),
      json.fullPath.replace('full', 'other'),
      json.fullPath.replace('/avatars/', '/locations/'),
      json.fullPath.replace(/fac_.{4}/, 'fac_0000'),
    ])
      expectError(await service.call({ path }), 404, 'NOT_FOUND');
  });

  test('a deleted project has no faces any more', async () => {
    const { projectId } = await createWorld(service);
    const { json } = await uploadFace(service, projectId);
    const path = `/admin/projects/${projectId}?confirm=${projectId}`;
    const answer = await service.admin({ method: 'DELETE', path });
    expect(answer.status, answer.text).toBeLessThan(300);
    await expect
      .poll(async () => (await download(service.url + json.fullPath)).status, { timeout: 20_000 })
      .toBe(404);
  });
});
