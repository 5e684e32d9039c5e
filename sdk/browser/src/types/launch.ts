import type { SessionManifest } from '../contract.ts';
import type { RendererFactory, TransportFactory } from './plug-ins.ts';

export type Id = `exp_${string}`;

/** Response body of the mint endpoints. */
export interface SessionLaunchResponse {
  session: object;
  launch: SessionManifest;
}

export type Launch = SessionLaunchResponse | SessionManifest;

export interface MintFields {
  locale?: string;
  secondaryLocale?: string;
  learningLocale?: string;
  mode?: 'conversation' | 'presenter';
  speechInputMode?: 'auto' | 'manual' | 'off';
  speechOnly?: boolean;
  language?: 'en' | 'es';
}

/** Source of the launch: exactly one of these. */
export type Source =
  | { experienceId: Id; door?: 'browser' | 'public' }
  | {
      experienceId: Id;
      relayUrl: string;
      relayInit?: () => RequestInit | Promise<RequestInit>;
      userId?: string;
    }
  | { mint(request: MintFields, call: { idempotencyKey: string; signal: AbortSignal }): Promise<Launch> }
  | { launch: Launch };

export type ExperienceOptions = Source &
  MintFields & {
    /** URL of the service. Scripts that the service serves derive it from their own URL. */
    baseUrl?: string;
    /**
     * Receives the session token by POST on page unload, and for sessions that are ended without a connection. Default: the manifest's
     * `links.leave`.
     */
    leaveUrl?: string;
    /** Whether the player checks the availability before it shows the start button. Only with `experienceId` and without `relayUrl`. */
    check?: boolean;
    signal?: AbortSignal;
    transports?: TransportFactory[];
    renderers?: RendererFactory[];
    log?(level: string, text: string): void;
  };
