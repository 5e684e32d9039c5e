import { useSignal } from '@preact/signals';
import { ApiFailure, request } from '../api/client.ts';
import { ApplySelect } from '../parts/apply-select.tsx';
import { Button } from '../parts/button.tsx';
import { currentOf, projectScreens, serviceScreens } from '../screens/screens.tsx';
import { mayCreateProjects, me } from '../state/me.ts';
import { projects } from '../state/projects.ts';
import { goTo, hashOf, route } from '../state/route.ts';
import { mayOpen, type ProjectScreen, type ServiceScreen } from '../state/screen.ts';
import { forgetAllTyped } from '../state/typed.ts';
import { texts } from '../texts/texts.ts';
import { Brand } from './brand.tsx';
import { NewProject } from './new-project.tsx';

const newProject = 'new';
const listed = serviceScreens.filter(({ isUnlisted }) => !isUnlisted);

/** The links of the console, the project switcher, and who is signed in. */
export function Navigation({ projectId }: { projectId: string | undefined }) {
  const isOpen = useSignal(false);
  const isCreating = useSignal(false);
  const isOfProject = route.value.projectId !== undefined;
  const current = isOfProject ? currentOf(projectScreens) : currentOf(serviceScreens);
  const link = (screen: ProjectScreen | ServiceScreen, ...before: string[]) => (
    <li key={screen.address}>
      <a
        href={hashOf([...before, screen.address])}
        aria-current={screen === current ? 'page' : undefined}
        onClick={() => {
          isOpen.value = false;
        }}
      >
        {screen.title}
      </a>
    </li>
  );
  const options = [
    ...(projects.value ?? []).map(({ projectId, name }) => ({ value: projectId, label: name })),
    ...(mayCreateProjects() ? [{ value: newProject, label: texts.navigation.newProject }] : []),
  ];
  const choose = (value: string) => {
    if (value === newProject) isCreating.value = true;
    else goTo(hashOf([value, 'overview']));
  };
  const buttonOf = ({ value, label }: { value: string; label: string }) =>
    value === newProject
      ? { text: label, name: label }
      : { text: texts.navigation.open, name: texts.navigation.openProject(label) };
  return (
    <header class="head">
      <div class="bar">
        <a class="brand" href="#/">
          <Brand />
        </a>
        <button
          type="button"
          class="button"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          {texts.navigation.menu}
        </button>
      </div>
      <div class={isOpen.value ? 'side open' : 'side'}>
        <a class="brand" href="#/">
          <Brand />
        </a>
        {(projects.value ?? []).length === 0 ? null : (
          <ApplySelect
            label={texts.navigation.project}
            value={projectId ?? ''}
            options={options}
            button={buttonOf}
            isDirect
            onApply={choose}
          />
        )}
        <nav aria-label={texts.navigation.label}>
          {projectId === undefined ? null : (
            <>
              <ul>{projectScreens.filter(mayOpen).map((screen) => link(screen, projectId))}</ul>
              <hr class="rule" />
            </>
          )}
          <ul>{listed.filter(mayOpen).map((screen) => link(screen))}</ul>
        </nav>
        <Who />
      </div>
      {isCreating.value ? (
        <NewProject
          onClose={() => {
            isCreating.value = false;
          }}
        />
      ) : null}
    </header>
  );
}

function Who() {
  const operator = me.value?.operator;
  const signOut = async () => {
    await request('POST /admin/logout').catch((error) => {
      // The login has ended already.
      if (!(error instanceof ApiFailure && error.status === 401)) throw error;
    });
    await forgetAllTyped();
    location.hash = '';
    location.reload();
  };
  return (
    <div class="who">
      <span>
        <bdi>{operator?.name}</bdi> <span class="soft">{operator?.role}</span>
      </span>
      <Button onPress={signOut}>{texts.navigation.signOut}</Button>
    </div>
  );
}
