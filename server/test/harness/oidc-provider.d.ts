declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';
  /** Only what the tests use. */
  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{
      prompt: { name: string; details: Record<string, unknown> };
      params: { client_id: string };
      session?: { accountId: string };
    }>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    Grant: new (
      fields: object,
    ) => { addOIDCScope(scope: string): void; save(): Promise<string> };
  }
}
