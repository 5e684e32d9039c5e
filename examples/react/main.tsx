import { ExperiencePlayer, useExperience } from '@session-launch/react';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';

/** Filled in by the bundler. */
declare const SERVICE_URL: string;
declare const EXPERIENCE_ID: `exp_${string}`;

/** The player with everything around it. */
function Guide() {
  const [lines, setLines] = useState(0);
  return (
    <section>
      <ExperiencePlayer
        experienceId={EXPERIENCE_ID}
        baseUrl={SERVICE_URL}
        startButton={{ label: 'Walk with me' }}
        onMessage={({ status }) => status === 'final' && setLines((count) => count + 1)}
      />
      <p>Lines so far: {lines}</p>
    </section>
  );
}

/** The hook alone: the page draws its own buttons. */
function Caption() {
  const { state, mode, messages, start, end } = useExperience({
    experienceId: EXPERIENCE_ID,
    baseUrl: SERVICE_URL,
    speechOnly: true,
    speechInputMode: 'off',
  });
  const isOn = state === 'live' || state === 'connecting' || state === 'minting';
  return (
    <section>
      <button type="button" onClick={() => (isOn ? end() : start().catch(() => {}))}>
        {isOn ? 'Hang up' : 'Only listen'}
      </button>
      <p role="status">{mode ?? state}</p>
      <p>{messages.at(-1)?.text}</p>
    </section>
  );
}

function Page() {
  const [isShown, setShown] = useState(true);
  return (
    <main>
      <button type="button" onClick={() => setShown(!isShown)}>
        {isShown ? 'Take it away' : 'Bring it back'}
      </button>
      {isShown && <Guide />}
      <Caption />
    </main>
  );
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
