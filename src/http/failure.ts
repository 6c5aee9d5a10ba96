/** A request that got no complete reply. `sent` tells whether the service may have seen it. */
export class NetworkFailure extends Error {
  readonly sent: boolean;
  readonly host: string;
  /** Of a reply that began and was cut off. */
  readonly status: number | undefined;

  constructor(host: string, reason: string, sent: boolean, status?: number) {
    super(reason);
    this.name = 'NetworkFailure';
    this.host = host;
    this.sent = sent;
    this.status = status;
  }
}
