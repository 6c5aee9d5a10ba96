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

const untrusted = 'the certificate is not signed by a trusted authority';

const words: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the DNS server did not respond',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed before the reply was complete',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_OVERFLOW: "the reply's headers are too large",
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for a different host',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
};

/** Describes an error of the network library or the OS in plain words. */
export const describeFailure = ({ code = '', message }: Error & { code?: string }): string =>
  words[code] ?? (/^(EPROTO$|ERR_SSL_)/.test(code) ? 'the TLS handshake failed' : message);

/** How to fix the error, if there is a known fix. */
export const adviceFor = ({ code = '' }: Error & { code?: string }): string | undefined =>
  words[code] === untrusted ? 'set NODE_EXTRA_CA_CERTS=ca.pem to trust your own certificate authority' : undefined;
