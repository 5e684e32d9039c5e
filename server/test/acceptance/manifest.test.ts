import { deployedService } from '@session-launch/testing/deployment.ts';
import { apply, runtime } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import {
  endpoints,
  everyField,
  type Loose,
  launch,
  mintRawAt,
  openWorld,
  recordOf,
  serverEndpoint,
  sharedWorld,
} from './mint-endpoints.ts';

const service = deployedService();

test('a manifest has exactly these fields', async () => {
  const world = await sharedWorld(service, { experience: { slug: 'harbor', title: 'Harbor guide' } });
  const { manifest, session } = await launch(service, serverEndpoint, world);
  expect(manifest).toEqual({
    schemaVersion: 1,
    sessionId: session!.sessionId,
    sessionToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    livemode: false,
    experience: { experienceId: world.experienceId, slug: 'harbor', title: 'Harbor guide', revision: 1 },
    mode: 'conversation',
    speechInputMode: 'auto',
    speechOnly: false,
    locale: 'en',
    capabilities: ['speech-output', 'speech-input', 'avatar', 'location'],
    characters: [
      {
        characterId: 'ada',
        name: 'Ada',
        voice: { voiceId: 'ada-voice' },
        avatar: { avatarId: 'ada', modelPath: '/avatars/ada/model.glb' },
      },
    ],
    location: { locationId: 'lab', scene: { lighting: 'noon' }, assets: ['/locations/lab/wide.svg'] },
    transport: { type: 'websocket', url: 'wss://runtime.example.com/session' },
    limits: { maxSeconds: 900, idleSeconds: 120 },
    links: { leave: `${service.url}/v1/sessions/${session!.sessionId}/leave` },
    player: {},
  });
});

test('with everything that a server can send, a manifest also has these fields', async () => {
  const world = await sharedWorld(service, {
    experience: { runtime: runtime({ languages: { dual: true, paired: 'match' } }) },
  });
  const { manifest } = await launch(service, serverEndpoint, world, {
    secondaryLocale: 'pt-PT',
    userId: 'user-7',
    processorId: 'processor-3',
    startButton: { label: 'Talk' },
    closeButton: { label: 'Leave' },
    integration: { returnUrl: 'https://app.example.com/lessons' },
  });
  expect(manifest).toMatchObject({
    secondaryLocale: 'pt-PT',
    user: { userId: 'user-7' },
    processorId: 'processor-3',
    player: {
      startButton: { label: 'Talk' },
      closeButton: { label: 'Leave' },
      returnUrl: 'https://app.example.com/lessons',
    },
  });
});

describe.each(endpoints.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (_path, endpoint) => {
  test('fields that do not apply are absent, never null', async () => {
    const world = await sharedWorld(service, {
      experience: {
        runtime: {
          characters: [{ characterId: 'ada', name: 'Ada' }],
          transport: { type: 'websocket', url: 'wss://runtime.example.com/session' },
        },
      },
    });
    const { manifest, answer } = await launch(service, endpoint, world);
    for (const absent of ['secondaryLocale', 'location', 'user', 'processorId']) {
      expect(manifest).not.toHaveProperty(absent);
    }
    expect(manifest.characters).toEqual([{ characterId: 'ada', name: 'Ada' }]);
    for (const { path, value } of everyField(answer.json)) expect(value, path).not.toBeNull();
  });

  test('the token appears once, in the manifest', async () => {
    const world = await sharedWorld(service);
    const { manifest, answer } = await launch(service, endpoint, world);
    const holders = [...everyField(answer.json)].filter(({ value }) => value === manifest.sessionToken);
    expect(holders.map(({ path }) => path)).toEqual([
      endpoint.launches === 201 ? 'launch.sessionToken' : 'sessionToken',
    ]);
    expect(answer.text.split(manifest.sessionToken)).toHaveLength(2);
  });

  describe('capabilities', () => {
    const noAvatar = [{ characterId: 'ada', name: 'Ada', voice: { voiceId: 'ada-voice' } }];
    const { location: _location, ...noLocation } = runtime();
    test.each<[string, Loose, Loose, string[]]>([
      ['everything', runtime(), {}, ['speech-output', 'speech-input', 'avatar', 'location']],
      [
        'manual speech input',
        runtime(),
        { speechInputMode: 'manual' },
        ['speech-output', 'speech-input', 'avatar', 'location'],
      ],
      [
        'speech input off, set by the caller',
        runtime(),
        { speechInputMode: 'off' },
        ['speech-output', 'avatar', 'location'],
      ],
      [
        'speech input off, set in the project file',
        runtime({ speechInputMode: 'off' }),
        {},
        ['speech-output', 'avatar', 'location'],
      ],
      [
        'speech input switched on by the caller',
        runtime({ speechInputMode: 'off' }),
        { speechInputMode: 'auto' },
        ['speech-output', 'speech-input', 'avatar', 'location'],
      ],
      ['speech only', runtime(), { speechOnly: true }, ['speech-output', 'speech-input']],
      [
        'speech only without speech input',
        runtime(),
        { speechOnly: true, speechInputMode: 'off' },
        ['speech-output'],
      ],
      ['no avatar', runtime({ characters: noAvatar }), {}, ['speech-output', 'speech-input', 'location']],
      ['no location', noLocation, {}, ['speech-output', 'speech-input', 'avatar']],
      [
        'one of two characters has an avatar',
        runtime({ characters: [...noAvatar, { characterId: 'bob', name: 'Bob', avatar: {} }] }),
        {},
        ['speech-output', 'speech-input', 'avatar', 'location'],
      ],
    ])('%s', async (_name, written, body, capabilities) => {
      const world = await sharedWorld(service, { experience: { runtime: written } });
      const { manifest } = await launch(service, endpoint, world, body);
      expect([...manifest.capabilities].sort()).toEqual([...capabilities].sort());
    });
  });

  test('mode and speech input come from the revision unless the request sets them', async () => {
    const written = runtime({ mode: 'presenter', speechInputMode: 'manual' });
    const world = await sharedWorld(service, { experience: { runtime: written } });
    const asWritten = await launch(service, endpoint, world);
    expect(asWritten.manifest).toMatchObject({ mode: 'presenter', speechInputMode: 'manual' });
    const asAsked = await launch(service, endpoint, world, { mode: 'conversation', speechInputMode: 'auto' });
    expect(asAsked.manifest).toMatchObject({ mode: 'conversation', speechInputMode: 'auto' });
  });

  describe('speechOnly', () => {
    const scenic = {
      scene: { lighting: 'noon' },
      sceneId: 'lab-at-noon',
      location: { locationId: 'lab' },
      locationId: 'lab',
      assets: ['/locations/lab/wide.svg'],
      assetBase: 'https://cdn.example.com',
      avatar: { avatarId: 'ada' },
      avatarId: 'ada',
      modelPath: '/models/ada.glb',
      poster: '/locations/lab/poster.svg',
      face: '/avatars/ada/face.png',
      cdn: 'https://cdn.example.com/avatars/ada/model.glb',
      '/avatars/ada/model.glb': 'preload',
      mixed: ['/avatars/ada/a.png', 'kept', ['/locations/lab/b.png', 'kept too']],
      deep: { deeper: { scene: 'lab', image: '/locations/lab/c.png', kept: true } },
    };
    const written = runtime({
      characters: [
        {
          characterId: 'ada',
          name: 'Ada',
          voice: { voiceId: 'ada-voice', model: 'turbo', ...scenic },
          avatar: { avatarId: 'ada', modelPath: '/avatars/ada/model.glb' },
        },
        { characterId: 'bob', name: 'Bob', avatar: { avatarId: 'bob' } },
      ],
      transport: {
        type: 'websocket',
        url: 'wss://runtime.example.com/locations/eu/session',
        region: 'eu',
        ...scenic,
      },
    });

    test('removes avatar, location and scene from the response', async () => {
      const world = await sharedWorld(service, {
        experience: {
          runtime: written,
          avatarId: 'ada',
          thumbnailPath: '/avatars/ada/thumb.svg',
          galleryThumb: { avatarImage: '/avatars/ada/full.svg', backgroundImage: '/locations/lab/wide.svg' },
        },
      });
      const { answer, manifest } = await launch(service, endpoint, world, { speechOnly: true });
      const { url } = manifest.transport;
      const fields = [...everyField(answer.json)];
      for (const { path, name, value } of fields) {
        expect(name, path).not.toMatch(/^(avatar|location|scene|asset|modelPath)|\/(avatars|locations)\//i);
        if (value !== url) expect(String(value), path).not.toMatch(/\/(avatars|locations)\//);
      }
      expect(fields.length).toBeGreaterThan(20);
      expect(manifest.capabilities).not.toContain('avatar');
      expect(manifest.capabilities).not.toContain('location');
    });

    test('keeps voice and transport', async () => {
      const world = await sharedWorld(service, { experience: { runtime: written } });
      const { manifest } = await launch(service, endpoint, world, { speechOnly: true });
      const rest = { mixed: ['kept', ['kept too']], deep: { deeper: { kept: true } } };
      expect(manifest.characters).toEqual([
        { characterId: 'ada', name: 'Ada', voice: { voiceId: 'ada-voice', model: 'turbo', ...rest } },
        { characterId: 'bob', name: 'Bob' },
      ]);
      expect(manifest.transport).toEqual({
        type: 'websocket',
        url: 'wss://runtime.example.com/locations/eu/session',
        region: 'eu',
        ...rest,
      });
    });

    test('set to false returns the runtime as it was written', async () => {
      const world = await sharedWorld(service, { experience: { runtime: written } });
      const { manifest } = await launch(service, endpoint, world, { speechOnly: false });
      expect(manifest.characters).toEqual(written.characters);
      expect(manifest.transport).toEqual(written.transport);
      expect(manifest.location).toEqual(written.location);
    });
  });

  test('the start button is kept as it was sent, in its order', async () => {
    const world = await sharedWorld(service);
    const startButton = `{"zeta":1,"alpha":{"y":[3,{"x":null}],"b":"\\"é😀"},"label":"Talk","__proto__":{"own":true},"":false}`;
    const body = `{"startButton":${startButton},"experienceId":"${world.experienceId}"}`;
    const answer = await mintRawAt(service, endpoint, world, body);
    expect(answer.status, answer.text).toBe(endpoint.launches);
    expect(answer.text).toContain(`"player":{"startButton":${startButton}}`);
  });

  test('free-form fields of the runtime keep their order', async () => {
    const voice = { zeta: 1, alpha: { y: 2, b: [3, null] }, voiceId: 'ada-voice' };
    const written = runtime({ characters: [{ characterId: 'ada', name: 'Ada', voice }] });
    const world = await sharedWorld(service, { experience: { runtime: written } });
    const { answer } = await launch(service, endpoint, world);
    expect(answer.text).toContain(`"voice":${JSON.stringify(voice)}`);
  });

  test('new launches use a new revision, earlier sessions keep theirs', async () => {
    const world = await openWorld(service, { experience: { title: 'First' } });
    const [written] = world.file.experiences;
    const earlier = await launch(service, endpoint, world);
    const publish = async (changes: Loose) => {
      Object.assign(written!, changes);
      const applied = await apply(service, world.file);
      expect(applied.status, applied.text).toBe(200);
      return (await launch(service, endpoint, world)).manifest;
    };
    expect(earlier.manifest.experience).toMatchObject({ title: 'First', revision: 1 });
    expect((await publish({ title: 'Second' })).experience).toMatchObject({ title: 'Second', revision: 2 });
    const third = await publish({ runtime: runtime({ mode: 'presenter' }) });
    expect(third).toMatchObject({ mode: 'presenter', experience: { title: 'Second', revision: 3 } });
    expect((await publish({ slug: `${written!.slug}-new` })).experience).toMatchObject({
      slug: written!.slug,
      revision: 4,
    });
    // Changes to fields that a revision does not contain create no new revision.
    expect((await publish({ sortOrder: 9 })).experience.revision).toBe(4);
    expect(await recordOf(service, world, earlier)).toMatchObject({ revision: 1, mode: 'conversation' });
  });
});

test('closeButton and return address are kept as they were sent, beside the start button', async () => {
  const world = await sharedWorld(service);
  const closeButton = '{"b":1,"a":2}';
  const body = `{"experienceId":"${world.experienceId}","closeButton":${closeButton},"startButton":{"z":1,"y":2},"integration":{"returnUrl":"https://app.example.com/ä?b=1&a=2"}}`;
  const answer = await mintRawAt(service, serverEndpoint, world, body);
  expect(answer.status, answer.text).toBe(201);
  expect(answer.text).toContain(`"closeButton":${closeButton}`);
  expect(answer.text).toContain('"startButton":{"z":1,"y":2}');
  expect(answer.json.launch.player.returnUrl).toBe('https://app.example.com/ä?b=1&a=2');
});

test('empty free-form objects are kept', async () => {
  const world = await sharedWorld(service);
  const { manifest } = await launch(service, serverEndpoint, world, { startButton: {}, closeButton: {} });
  expect(manifest.player).toEqual({ startButton: {}, closeButton: {} });
});
