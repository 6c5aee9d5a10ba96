const untrusted = 'the certificate is not signed by a trusted authority';

const codeMeanings: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the DNS server did not respond',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ECONNRESET: 'the connection was reset',
  ETIMEDOUT: 'the connection timed out',
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

type NetworkError = Error & { code?: string };

/** What an error of the network library or the OS means, in plain words, if its code is known. */
export const meaningOf = ({ code = '' }: NetworkError): string | undefined =>
  codeMeanings[code] ?? (/^(EPROTO$|ERR_SSL_)/.test(code) ? 'the TLS handshake failed' : undefined);

/** How to fix the error, if there is a known fix. */
export const adviceFor = ({ code = '' }: NetworkError): string | undefined =>
  codeMeanings[code] === untrusted
    ? 'set NODE_EXTRA_CA_CERTS=ca.pem to trust your own certificate authority'
    : undefined;
