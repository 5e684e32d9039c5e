import './sign-in.css';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { adminUrl, messageOf, request } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { useModal } from '../parts/modal.ts';
import { useLoad } from '../state/load.ts';
import { loadMe, me } from '../state/me.ts';
import { texts } from '../texts/texts.ts';
import { Brand } from './brand.tsx';

interface SignInProps {
  /** Why the form is shown, or what went wrong before. */
  note?: string | undefined;
  onSignedIn?(): Promise<void>;
}

/** The sign-in form. The token is sent once and kept nowhere. */
function SignIn({ note, onSignedIn }: SignInProps) {
  const token = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  const ways = useLoad([], (signal) => request('GET /admin/sign-in', { signal }));
  useEffect(() => {
    const before = document.title;
    document.title = `${texts.signIn.title} – ${texts.product}`;
    return () => {
      document.title = before;
    };
  }, []);
  const submit = async () => {
    problem.value = undefined;
    try {
      await signInWith({ token: token.value.trim() });
      token.value = '';
      await onSignedIn?.();
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  const oidc = ways.data?.oidc;
  return (
    <Form look="sign-in" onSubmit={submit}>
      <Brand />
      <h1>{texts.signIn.title}</h1>
      {note === undefined ? null : <p role="alert">{note}</p>}
      {oidc === undefined ? null : (
        <a
          class="button primary"
          href={adminUrl('GET /admin/oidc/start', { query: { returnTo: location.hash || '#/' } })}
        >
          {texts.signIn.with(oidc.name)}
        </a>
      )}
      <TextField
        label={texts.signIn.token}
        help={texts.signIn.help}
        problem={problem.value}
        type="password"
        value={token.value}
        onInput={(value) => {
          token.value = value;
        }}
        required
        autoFocus
      />
      <Button type="submit" look={oidc === undefined ? 'primary' : 'normal'}>
        {texts.signIn.button}
      </Button>
      <p class="soft">
        {texts.signIn.link} <code class="command">{texts.signIn.command}</code>
      </p>
    </Form>
  );
}

/** Signs in, checks that the browser kept the cookie, and reads who signed in. */
export async function signInWith(secret: { code: string } | { token: string }): Promise<void> {
  await request('POST /admin/login', { body: secret });
  if (!(await isSignedIn())) throw new Error(texts.signIn.dropped);
  await loadMe();
}

/** Asks a route that answers signed-out browsers, too: a 401 would be printed to the console of the browser. */
export async function isSignedIn(): Promise<boolean> {
  return (await request('GET /admin/sign-in')).signedIn === true;
}

/** The sign-in form as the whole page. */
export function SignInPage(props: SignInProps) {
  return (
    <main class="entrance">
      <SignIn {...props} />
    </main>
  );
}

/** The form over the page, after a sign-in has expired. Escape does not close it. */
export function SignInOver() {
  const ref = useModal();
  return (
    <dialog
      ref={ref}
      class="sign-in-over"
      aria-label={texts.signIn.title}
      onCancel={(event) => event.preventDefault()}
      // Chromium closes a dialog when Escape is pressed twice, whatever the cancel event says.
      onClose={({ currentTarget }) => currentTarget.isConnected && currentTarget.showModal()}
    >
      <SignIn note={texts.signIn.again(me.value?.operator.name ?? '')} />
    </dialog>
  );
}
