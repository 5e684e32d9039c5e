import { browserMintBody, type MintRequest, mintRequestReader, serverMintBody } from './mint-request.ts';

/** One of the three ways in. They share the pipeline and differ only in what stands here. */
export interface Door {
  path: string;
  source: 'server' | 'browser' | 'public';
  /** An API key, or the page's Origin on the allowlist of the project or of the experience. */
  admits: 'api-key' | 'project-origin' | 'experience-origin';
  read: (body: unknown) => MintRequest;
  idempotent: boolean;
  limited: boolean;
  /** The status of a launch, and whether it comes as session and launch or as the bare manifest. */
  status: 200 | 201;
  answers: 'launch' | 'manifest';
}

export const doors: readonly Door[] = [
  {
    path: '/v1/sessions',
    source: 'server',
    admits: 'api-key',
    read: mintRequestReader(serverMintBody),
    idempotent: true,
    limited: false,
    status: 201,
    answers: 'launch',
  },
  {
    path: '/v1/browser-sessions',
    source: 'browser',
    admits: 'project-origin',
    read: mintRequestReader(browserMintBody),
    idempotent: true,
    limited: true,
    status: 201,
    answers: 'launch',
  },
  {
    path: '/v1/public-sessions',
    source: 'public',
    admits: 'experience-origin',
    read: mintRequestReader(browserMintBody),
    idempotent: false,
    limited: true,
    status: 200,
    answers: 'manifest',
  },
];
