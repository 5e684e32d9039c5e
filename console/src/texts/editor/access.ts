/** Texts of the tab Access. */
export const accessTexts = {
  title: 'Public access',
  public: 'Public',
  publicOn: 'Let pages start it without a key, from the origins below',
  publicText:
    'A public experience can be started by pages of other people, such as partners. It needs neither an API key nor the origins of the project.',
  live: 'Changes on this tab take effect when you save. They need no publishing.',
  origins: 'Allowed origins',
  originsText: 'Pages on these origins may start this experience publicly.',
  noOrigins: 'No origin is allowed, so no page can start it publicly.',
  notPublic: 'The list has no effect while the experience is not public.',
  add: 'Allow origin',
  addHelp: 'For example https://www.example.com, or https://*.example.com for its subdomains.',
  remove: (origin: string) => `Remove ${origin}`,
  duplicate: (origin: string) => `${origin} is on the list.`,
  ownersOnly: 'Only an owner can change the origins of an experience.',
  projectOrigins:
    'Origins that may start every published experience of the project are set under Embeds, by developers and owners.',
  openEmbeds: 'Open Embeds',
  check: 'Check an origin',
  checkText: 'Whether pages on an origin may start the saved experience, and what is missing.',
  checkUnsaved: 'Your unsaved changes are not part of the check.',
  lines: 'Put it on a page',
  linesText: 'Copy these two lines into the HTML of a page on an allowed origin.',
  code: 'two lines',
} as const;
