/** A request that got no complete reply. `sent` says whether the service may have seen it. */
export class NetworkFailure extends Error {
  readonly sent: boolean;
  readonly host: string;
  /** The status of a reply that was cut off. */
  readonly status: number | undefined;
  /** What the user can do about the failure. */
  readonly advice: string | undefined;

  constructor(
    host: string,
    reason: string,
    sent: boolean,
    { status, advice }: { status?: number | undefined; advice?: string | undefined } = {},
  ) {
    super(reason);
    this.name = 'NetworkFailure';
    this.host = host;
    this.sent = sent;
    this.status = status;
    this.advice = advice;
  }
}
