/** A request that got no complete reply. `sent` tells whether the service may have seen it. */
export class NetworkFailure extends Error {
  readonly sent: boolean;
  readonly host: string;
  /** Of a reply that began and was cut off. */
  readonly status: number | undefined;
  /** What the user can do about it. */
  readonly hint: string | undefined;

  constructor(
    host: string,
    reason: string,
    sent: boolean,
    { status, hint }: { status?: number | undefined; hint?: string | undefined } = {},
  ) {
    super(reason);
    this.name = 'NetworkFailure';
    this.host = host;
    this.sent = sent;
    this.status = status;
    this.hint = hint;
  }
}

const untrusted = "the certificate is not signed by an authority that's trusted here";

const words: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name server did not answer',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed before the reply was complete',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_OVERFLOW: 'the reply has oversized headers',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
};

/** An error of the network library or the OS, in plain words. */
export const describeFailure = ({ code = '', message }: Error & { code?: string }): string =>
  words[code] ?? (/^(EPROTO$|ERR_SSL_)/.test(code) ? 'the TLS handshake failed' : message);

/** What helps against such an error, where something does. */
export const hintFor = ({ code = '' }: Error & { code?: string }): string | undefined =>
  words[code] === untrusted ? 'NODE_EXTRA_CA_CERTS=ca.pem with the certificate of your own authority' : undefined;
