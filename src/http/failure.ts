/** A request that got no complete reply. `sent` tells whether the service may have seen it. */
export class NetworkFailure extends Error {
  readonly sent: boolean;
  readonly host: string;

  constructor(host: string, reason: string, sent: boolean) {
    super(reason);
    this.name = 'NetworkFailure';
    this.host = host;
    this.sent = sent;
  }
}
