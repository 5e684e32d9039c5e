/** Example bodies for the published contract: sessions of the demo project. */
const sessionId = 'ses_01kb2x7m9defgt4zq8s6w3n5vh';

export const exampleSession = {
  sessionId,
  projectId: 'prj_demo',
  experienceId: 'exp_market_day',
  revision: 1,
  status: 'created',
  livemode: false,
  source: 'server',
  userId: 'learner-7',
  mode: 'conversation',
  speechInputMode: 'auto',
  speechOnly: false,
  locale: 'en-US',
  secondaryLocale: 'es-MX',
  createdAt: '2026-03-01T09:30:00.000Z',
  expiresAt: '2026-03-01T09:40:00.000Z',
  usage: { seconds: 0 },
};

export const exampleEndedSession = {
  ...exampleSession,
  status: 'ended',
  startedAt: '2026-03-01T09:30:02.120Z',
  endedAt: '2026-03-01T09:41:12.345Z',
  endReason: 'client_ended',
  usage: { seconds: 670 },
};

const { userId: _known, ...withoutUser } = exampleSession;
export const exampleBrowserSession = {
  ...withoutUser,
  livemode: true,
  source: 'browser',
  origin: 'https://app.example.com',
};

export const examplePreviewSession = {
  ...withoutUser,
  livemode: false,
  source: 'preview',
  origin: 'https://launch.example.com',
};

const transport = { type: 'websocket', url: 'wss://runtime.example.com/session' };

/** Has the form of a token but is not valid. */
const sessionToken = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJzZXNfLi4uIn0.c2lnbmF0dXJl';

export const exampleManifest = {
  schemaVersion: 1,
  sessionId,
  sessionToken,
  expiresAt: '2026-03-01T09:40:00.000Z',
  livemode: false,
  experience: {
    experienceId: 'exp_market_day',
    slug: 'market-day',
    title: 'Market Day with Mateo',
    revision: 1,
  },
  mode: 'conversation',
  speechInputMode: 'auto',
  speechOnly: false,
  locale: 'en-US',
  secondaryLocale: 'es-MX',
  capabilities: ['speech-output', 'speech-input', 'avatar', 'location'],
  characters: [
    {
      characterId: 'mateo',
      name: 'Mateo',
      voice: { voiceId: 'mateo-bright', pace: 'lively' },
      avatar: { avatarId: 'mateo', modelPath: '/avatars/mateo/model.glb' },
    },
  ],
  location: {
    locationId: 'market-hall',
    scene: { lighting: 'noon', crowd: 'busy' },
    assets: ['/locations/market-hall/wide.svg'],
  },
  transport,
  limits: { maxSeconds: 900, idleSeconds: 120 },
  links: { leave: `https://launch.example.com/v1/sessions/${sessionId}/leave` },
  player: { returnUrl: 'https://app.example.com/lessons' },
  user: { userId: 'learner-7' },
};

const { user: _nobody, ...anonymous } = exampleManifest;
export const exampleBrowserManifest = { ...anonymous, livemode: true, player: {} };

export const examplePreviewManifest = { ...exampleBrowserManifest, livemode: false };

const { secondaryLocale: _single, ...unpaired } = exampleBrowserManifest;
const voice = { voiceId: 'maren-warm', pace: 'unhurried' };
export const examplePublicManifest = {
  ...unpaired,
  experience: {
    experienceId: 'exp_harbor_guide',
    slug: 'harbor-guide',
    title: 'Sunrise Round the Harbor',
    revision: 3,
  },
  locale: 'en',
  characters: [
    {
      characterId: 'maren',
      name: 'Maren',
      voice,
      avatar: { avatarId: 'maren', modelPath: '/avatars/maren/model.glb' },
    },
  ],
  location: {
    locationId: 'old-harbor',
    scene: { lighting: 'sunrise', weather: 'clear', ambience: 'gulls' },
    assets: ['/locations/old-harbor/wide.svg'],
  },
};

const { location: _nowhere, ...unseen } = examplePublicManifest;
export const exampleVoiceManifest = {
  ...unseen,
  speechOnly: true,
  locale: 'es',
  capabilities: ['speech-output', 'speech-input'],
  characters: [{ characterId: 'maren', name: 'Maren', voice }],
};
