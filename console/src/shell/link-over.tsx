import { Confirm } from '../parts/dialog.tsx';
import { linkCode } from '../state/link.ts';
import { me } from '../state/me.ts';
import { texts } from '../texts/texts.ts';
import { signInWith } from './sign-in.tsx';

/** Asks before a sign-in link replaces the login of this browser. The page reloads if the link is that of another operator. */
export function LinkOver({ code }: { code: string }) {
  return (
    <Confirm
      title={texts.signIn.replaceTitle}
      action={texts.signIn.replaceButton}
      onConfirm={() => signInWith({ code })}
      onClose={() => {
        linkCode.value = undefined;
      }}
    >
      <p>{texts.signIn.replaceText(me.value?.operator.name ?? '')}</p>
    </Confirm>
  );
}
