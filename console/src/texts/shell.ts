import { plural } from './plural.ts';

/** Texts of the shell and of the parts that every screen uses. */
export const shellTexts = {
  product: 'Session launch console',
  brand: 'Session launch',
  skip: 'Skip to the content',
  loading: 'Loading…',
  tryAgain: 'Try again',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  undo: 'Undo',
  copy: 'Copy',
  copyOf: (what: string) => `Copy ${what}`,
  copied: 'Copied',
  copyByHand: 'The browser does not allow copying here. The text is selected: press Ctrl+C.',
  never: 'never',
  justNow: 'just now',
  soon: 'in less than a minute',
  more: 'Show more',
  none: 'none',
  working: 'Working…',
  length: {
    count: (count: number, max: number) =>
      `${count.toLocaleString('en')} of ${plural(max, 'character', 'characters')}`,
    excess: (excess: number, max: number) =>
      `${plural(excess, 'character', 'characters')} too long. At most ${max.toLocaleString('en')} are allowed.`,
  },
  actions: 'Actions',
  enterApplies: (action: string) => `Press Enter to apply: ${action}.`,
  failure: {
    title: 'This could not be loaded',
    requestId: 'Include this id when you report it:',
  },
  navigation: {
    label: 'Console',
    menu: 'Menu',
    project: 'Project',
    newProject: 'New project',
    open: 'Open',
    openProject: (name: string) => `Open ${name}`,
    signOut: 'Sign out',
    jump: 'Jump to…',
  },
  signIn: {
    title: 'Sign in',
    token: 'Token',
    button: 'Sign in',
    help: 'Enter the token of an operator, or the admin token of the service.',
    link: 'To get a sign-in link instead, run this command on the machine of the service:',
    command: 'npx session-launch console',
    badCode: 'This sign-in link is no longer valid: it can be used once, within ten minutes.',
    failures: {
      LOGIN_FAILED: 'The sign-in failed. Try again.',
      ROLE_FORBIDDEN: 'Your account has no role here. Ask an owner for one.',
      TOO_MANY_LOGINS: 'Too many failed sign-ins from this network. Try again in a minute.',
      UNAVAILABLE: 'The identity provider does not answer. Try again later.',
    },
    dropped: 'The browser did not keep the sign-in cookie. Open the console over https, or under localhost.',
    again: (name: string) =>
      `Your sign-in has expired. Sign in again as ${name} to continue; nothing that you typed is lost.`,
    replaced: 'Another operator has signed in. The page is loaded again.',
    replaceTitle: 'Sign in with this link?',
    replaceText: (name: string) =>
      `This browser is signed in as ${name}. The link replaces that login, possibly with that of another operator.`,
    replaceButton: 'Use the link',
    with: (name: string) => `Sign in with ${name}`,
  },
  offline: {
    lost: 'The service does not answer. Trying again…',
    noAnswer: 'The service does not answer.',
    noAnswerToChange:
      'The service has not answered for a minute. It may have been done: check before you repeat it.',
    foreign: 'Something other than the service answered. Check the proxy in front of it.',
    unavailable:
      'The service runs, but cannot reach its database or is overloaded. The console retries automatically.',
    unavailableNow:
      'The service runs, but cannot reach its database or is overloaded. Try again in a moment.',
    polling:
      'Changes by others appear with a delay of up to 15 seconds: no stream of changes can be opened at the moment.',
    reload: 'A new version of the console is available.',
    reloadButton: 'Reload',
    gone: 'This part could not be loaded',
    goneText:
      'The service has a new version of the console, or does not answer. What you typed is kept when you reload.',
  },
  unknown: {
    title: 'There is nothing here',
    text: 'The address does not name a screen of the console.',
    home: 'Go to the overview',
  },
  forbidden: {
    text: 'Only an owner can see this.',
    limited: 'Only an owner of all projects can see this.',
    ask: (role: string) => `Your role is ${role}. Ask an owner of the service if you need it.`,
  },
  noProjects: {
    title: 'No projects yet',
    text: 'A project holds experiences, keys and limits.',
    ask: 'Ask an owner to create one, or to give you access.',
  },
  jump: {
    title: 'Jump to',
    field: 'Title or id',
    empty: 'Nothing matches.',
  },
  help: {
    title: 'Keyboard',
    jump: 'Jump to any title or id',
    save: 'Save',
    keys: 'Show this list',
  },
  newProject: {
    title: 'New project',
    name: 'Name',
    nameHelp: 'Shown in lists. You can change it later.',
    id: 'Id',
    idHelp: 'Starts with prj_. It appears in addresses and cannot be changed.',
    taken: (id: string) => `There is a project with the id ${id}. Choose another id.`,
    create: 'Create project',
    created: (name: string) => `Created ${name}.`,
  },
} as const;
