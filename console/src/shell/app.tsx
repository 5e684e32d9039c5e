import './shell.css';
import { useSignal } from '@preact/signals';
import { Component, type ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { retryMs } from '../api/client.ts';
import { connection, followChanges, onChange } from '../api/events.ts';
import { isSigningIn } from '../api/sign-in.ts';
import { Button, LinkButton } from '../parts/button.tsx';
import { Empty, Failure } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { currentOf, projectScreens, serviceScreens } from '../screens/screens.tsx';
import { checkBuild, isOutdated } from '../state/build.ts';
import { linkCode, linkError } from '../state/link.ts';
import { isAway, isBusy } from '../state/load.ts';
import { loadMe, may, mayCreateProjects, me } from '../state/me.ts';
import { loadProjects, projects } from '../state/projects.ts';
import { route } from '../state/route.ts';
import { mayOpen, type ProjectScreen, type ServiceScreen } from '../state/screen.ts';
import { texts } from '../texts/texts.ts';
import { Brand } from './brand.tsx';
import { Jump, KeyboardHelp } from './jump.tsx';
import { LinkOver } from './link-over.tsx';
import { Navigation } from './navigation.tsx';
import { NewProject } from './new-project.tsx';
import { isSignedIn, SignInOver, SignInPage, signInWith } from './sign-in.tsx';
import { Toasts } from './toasts.tsx';

/** What to say about the code of a failed sign-in through an identity provider. */
function failureOf(code: string): string {
  const { failures } = texts.signIn;
  return failures[code as keyof typeof failures] ?? failures.LOGIN_FAILED;
}

/** `lost`: no connection to the service; `unavailable`: it responds with 503. Both are retried. */
type State = 'starting' | 'lost' | 'unavailable' | 'signed-out' | 'ready';

export function App() {
  const state = useSignal<State>('starting');
  const note = useSignal<string | undefined>(linkError && failureOf(linkError));
  const enter = async () => {
    // A sign-in has already read who signed in.
    await Promise.all([me.value ?? loadMe(), loadProjects()]);
    followChanges();
    // Another operator may have changed projects or, which ends the stream, the rights of this one.
    onChange(['project'], ({ kind }) => {
      const reads = kind === 'gap' ? [loadProjects(), loadMe()] : [loadProjects()];
      for (const read of reads) read.catch(() => undefined);
    });
    state.value = 'ready';
  };
  const start = async () => {
    // A browser that is signed in keeps its login until the operator agrees to replace it.
    if (await isSignedIn()) return enter();
    const code = linkCode.value;
    linkCode.value = undefined;
    if (code !== undefined) {
      await signInWith({ code }).catch((error) => {
        if (isAway(error)) linkCode.value = code;
        throw error;
      });
      return enter();
    }
    state.value = 'signed-out';
  };
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const begin = async () => {
    try {
      await start();
    } catch (error) {
      if (isAway(error)) {
        state.value = isBusy(error) ? 'unavailable' : 'lost';
        timer.current = setTimeout(begin, retryMs);
        return;
      }
      note.value = (error as Error).message;
      state.value = 'signed-out';
    }
  };
  useEffect(() => {
    void begin();
    const remove = onChange([], () => void checkBuild());
    return () => {
      clearTimeout(timer.current);
      remove();
    };
  }, []);
  if (state.value === 'starting') return null;
  if (state.value === 'lost' || state.value === 'unavailable')
    return <Away text={texts.offline[state.value]} />;
  if (state.value === 'signed-out') return <SignInPage note={note.value} onSignedIn={begin} />;
  return (
    <>
      <Frame />
      {linkCode.value === undefined ? null : <LinkOver code={linkCode.value} />}
      {isSigningIn.value ? <SignInOver /> : null}
      <Toasts />
    </>
  );
}

/** Shown until the service responds for the first time. */
function Away({ text }: { text: string }) {
  return (
    <main class="entrance">
      <div class="sign-in">
        <Brand />
        <p role="status">{text}</p>
      </div>
    </main>
  );
}

function Frame() {
  const { projectId = projects.value?.[0]?.projectId } = route.value;
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        {texts.skip}
      </button>
      <Navigation projectId={projectId} />
      <main class="main" id="main" tabIndex={-1}>
        <div role="status">
          {connection.value === 'lost' && !isSigningIn.value ? (
            <p class="banner">{texts.offline.lost}</p>
          ) : null}
          {connection.value === 'away' ? <p class="banner">{texts.offline.unavailable}</p> : null}
          {connection.value === 'polling' ? <p class="soft">{texts.offline.polling}</p> : null}
          {isOutdated.value ? <Outdated /> : null}
        </div>
        <Guard key={JSON.stringify([projectId, route.value.screen, route.value.rest[0]])}>
          <Current projectId={projectId} />
        </Guard>
      </main>
      <Jump />
      <KeyboardHelp />
    </div>
  );
}

function Outdated() {
  return (
    <p class="banner">
      {texts.offline.reload}
      <Button onPress={() => location.reload()}>{texts.offline.reloadButton}</Button>
    </p>
  );
}

function Current({ projectId }: { projectId: string | undefined }) {
  const { projectId: named, screen, rest } = route.value;
  if (named === undefined && screen !== '') {
    const service = currentOf(serviceScreens);
    if (service === undefined) return <Unknown />;
    return mayOpen(service) ? <service.component rest={rest} /> : <Forbidden screen={service} />;
  }
  const project = named === undefined ? projectScreens[0] : currentOf(projectScreens);
  if (project === undefined) return <Unknown />;
  if (projectId === undefined) return <NoProjects />;
  if (!mayOpen(project)) return <Forbidden screen={project} />;
  return <project.component projectId={projectId} rest={rest} />;
}

function Forbidden({ screen }: { screen: ProjectScreen | ServiceScreen }) {
  return (
    <Screen title={screen.title}>
      <Empty title={may(screen.permission ?? 'read') ? texts.forbidden.limited : texts.forbidden.text}>
        <p>{texts.forbidden.ask(me.value?.operator.role ?? '')}</p>
      </Empty>
    </Screen>
  );
}

function Unknown() {
  return (
    <Screen title={texts.unknown.title}>
      <Empty title={texts.unknown.text}>
        <LinkButton href="#/">{texts.unknown.home}</LinkButton>
      </Empty>
    </Screen>
  );
}

function NoProjects() {
  const isCreating = useSignal(false);
  return (
    <Screen title={texts.noProjects.title}>
      <Empty title={texts.noProjects.text}>
        {mayCreateProjects() ? (
          <Button
            look="primary"
            onPress={() => {
              isCreating.value = true;
            }}
          >
            {texts.navigation.newProject}
          </Button>
        ) : (
          <p>{texts.noProjects.ask}</p>
        )}
      </Empty>
      {isCreating.value ? (
        <NewProject
          onClose={() => {
            isCreating.value = false;
          }}
        />
      ) : null}
    </Screen>
  );
}

/** Shows a failure of a screen instead of an empty page, for example if a file of an older build no longer exists. */
class Guard extends Component<{ children: ComponentChildren }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <>
        <Failure error={this.state.error} />
        <p>
          <Button onPress={() => location.reload()}>{texts.offline.reloadButton}</Button>
        </p>
      </>
    );
  }
}
