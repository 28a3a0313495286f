import type { FoundServer } from './find-server.ts';

export interface ConnectionProblem {
  /** In a few words. */
  readonly what: string;
  /** Undefined when nothing but another server helps. */
  readonly wayOut: string | undefined;
}

/** What the transport says -> what to do about it. The first that fits. */
const rules: readonly { readonly said: RegExp; readonly wayOut: string; readonly what?: string }[] = [
  {
    said: /alert (certificate required|bad certificate|certificate (unknown|expired|revoked)|unknown ca|access denied)|handshake failure/i,
    wayOut: 'it wants a client certificate that it accepts: give one with --cert-file and --key-file',
  },
  { said: /no application protocol/i, what: 'it does not speak gRPC', wayOut: 'name its gRPC port' },
  {
    said: /wrong version number|packet length too long/i,
    what: 'it does not speak TLS',
    wayOut: 'if plain text is meant, say http://ADDRESS',
  },
  {
    said: /altname|does not match certificate/i,
    wayOut: 'ask it by a name that its certificate has, or say which one to expect with --tls-server-name',
  },
  { said: /certificate (has expired|is not yet valid)/i, wayOut: 'have the certificate of the server renewed, or compare the clocks' },
  { said: /certificate|self.signed|issuer/i, wayOut: 'give the authority that signed it with --ca-file' },
];

const closedAtOnce = /^(Failed to connect|.*ECONNRESET|.*socket hang up)/;

/** A connection that could not be made, in the words of a person: without what OpenSSL and Node add to it. */
export function connectionProblem(said: string, { tls }: Pick<FoundServer, 'tls'>): ConnectionProblem {
  const what = said
    .replace(/\s*\(\d{4}-\d\d-\d\dT[\d:.]+Z\)\s*$/, '')
    .replace(/^[\dA-F]+:error:[\dA-F]+:[^:]*:[^:]*:([^:]*):.*$/s, '$1')
    .replace(/^(Error )?\[ERR_\w+\]: /, '')
    .replace(/; if the root CA is installed locally.*$/s, '')
    .trim();
  const rule = rules.find((each) => each.said.test(said));
  if (rule !== undefined) return { what: rule.what ?? what, wayOut: rule.wayOut };
  if (!closedAtOnce.test(what)) return { what, wayOut: undefined };
  return tls === undefined
    ? { what: 'it closes connections in plain text', wayOut: 'if it serves with TLS, give its authority with --ca-file' }
    : { what: 'it closes the connection', wayOut: 'if it wants a client certificate, give one with --cert-file and --key-file' };
}
