import { plural } from '../plural.ts';

/** Texts of the preview beside the form. */
export const previewTexts = {
  title: 'Preview',
  frame: 'The talking draft',
  restart: 'Restart with my changes',
  notSaved: (reason: string) => `Your changes are not saved, so the preview was not restarted. ${reason}`,
  before: (revision: number) => `“Start” begins a conversation with r${revision}, the saved draft.`,
  beforeChanged: (revision: number) =>
    `“Start” begins a conversation with r${revision}; your changes are not in it. “Restart with my changes” saves them first.`,
  shows: (revision: number, languages: string) => `Shows r${revision}, in ${languages}.`,
  outdated: (revision: number) => `Shows r${revision}; your changes are not in it.`,
  newer: (revision: number, latest: number) => `Shows r${revision}; r${latest} is newer.`,
  and: (first: string, second: string) => `${first} with ${second}`,
  failed: (reason: string) => `The preview could not start: ${reason}`,
  forbidden: 'Only creators and owners can start a preview.',
  forbiddenRole: (role: string) => `Your role is ${role}. Ask a creator for a preview link.`,
  archived: 'This experience is archived, so it cannot be started.',
  blocked: {
    title: 'The preview cannot be shown',
    mixed: (publicUrl: string) =>
      `You opened the console over https, but the service is at ${publicUrl}. Browsers show no http page inside an https one. Set PUBLIC_URL to an https address of the service.`,
    unreachable: (publicUrl: string) =>
      `Your browser cannot reach the service at ${publicUrl}. Set PUBLIC_URL to an address of the service that your browser can open.`,
    busy: (publicUrl: string) => `The service at ${publicUrl} does not answer now. Try again in a moment.`,
    failed: (publicUrl: string) =>
      `The preview page was loaded, but not its script ${publicUrl}/sdk/v2/session-launch.js. Check whether a proxy or an extension of your browser blocks it.`,
    other: (publicUrl: string) =>
      `Something other than this service answers at ${publicUrl}. Set PUBLIC_URL to the address of the service, with the path if a proxy adds one.`,
    refused: (publicUrl: string, origin: string) =>
      `The service at ${publicUrl} answers, but its page may not be shown inside ${origin}. Set ADMIN_URL to ${origin}. If it already is, a proxy adds X-Frame-Options or another Content-Security-Policy to the page: remove these headers.`,
    open: 'Open the page in a new tab',
  },
  choices: 'Visitor',
  endpoint: 'Arrives through',
  endpoints: {
    browser: 'One of your pages',
    public: 'A public page',
    server: 'Your backend',
  },
  language: 'Asks for',
  asArrives: 'No language',
  second: 'Language to learn',
  needsSecond: 'The experience works with two languages. Choose the language to learn.',
  browserLanguages: 'Languages of the browser',
  browserHelp: 'The Accept-Language header, most preferred first.',
  voiceOnly: 'Voice only',
  appearance: 'Appearance',
  links: {
    title: 'Preview links',
    intro: 'Everyone with a link can talk to one exact revision, without signing in, until it expires.',
    empty: 'No links yet.',
    create: 'Create link',
    dialog: 'Create a preview link',
    of: (revision: number) =>
      `The link opens r${revision}, the saved draft. Later changes do not appear in it.`,
    unsaved: 'Your unsaved changes are not in it. Save the draft first to share them.',
    period: 'Works for',
    periods: {
      3600: 'One hour',
      28800: 'Eight hours',
      86400: 'One day',
      604800: 'One week',
    } as Record<number, string>,
    most: 'Conversations at most',
    notANumber: 'Write a whole number from 1 to 10,000.',
    shownTitle: 'Your preview link',
    shownText: 'Copy it now: it is shown only this once.',
    link: 'preview link',
    done: 'Done',
    caption: 'Preview links that have not expired',
    named: (revision: number) => `r${revision}`,
    by: (name: string) => `by ${name}`,
    used: (sessions: number, most: number) =>
      `${sessions.toLocaleString('en')} of ${plural(most, 'conversation', 'conversations')}`,
    expires: 'expires',
    withdraw: 'Withdraw',
    withdrawOf: (revision: number, by: string) => `Withdraw the link to r${revision} by ${by}`,
    withdrawTitle: 'Withdraw this link?',
    withdrawText: 'It stops working at once. Conversations that have begun go on.',
    withdrawn: 'The link is withdrawn.',
  },
} as const;
