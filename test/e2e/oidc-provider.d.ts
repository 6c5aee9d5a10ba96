/** The parts of the package that tests use. It has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Model {
    find(value: string): Promise<{ accountId: string; isValid: boolean } | undefined>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: object);
    readonly AccessToken: Model;
    readonly RefreshToken: Model;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    on(event: 'grant.success', listener: (context: { oidc: { params: { grant_type: string } } }) => void): this;
    on(event: 'server_error', listener: (context: unknown, error: Error) => void): this;
  }
}
