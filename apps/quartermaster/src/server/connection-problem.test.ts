import { describe, expect, it } from 'vitest';
import { connectionProblem } from './connection-problem.ts';

const openssl = (reason: string): string =>
  `401D6C9CE17F0000:error:0A00045C:SSL routines:ssl3_read_bytes:${reason}:../deps/openssl/ssl/record/rec_layer_s3.c:918:SSL alert number 116\n  (2026-11-15T15:26:12.874Z)`;

describe('connectionProblem', () => {
  it.each([
    [openssl('tlsv13 alert certificate required'), 'tlsv13 alert certificate required', '--cert-file and --key-file'],
    [openssl('tlsv1 alert unknown ca'), 'tlsv1 alert unknown ca', '--cert-file'],
    [openssl('tlsv1 alert no application protocol'), 'it does not speak gRPC', 'gRPC port'],
    [openssl('wrong version number'), 'it does not speak TLS', 'http://ADDRESS'],
    [
      "Error [ERR_TLS_CERT_ALTNAME_INVALID]: Hostname/IP does not match certificate's altnames: Host: localhost. is not cert's CN: db",
      "Hostname/IP does not match certificate's altnames: Host: localhost. is not cert's CN: db",
      '--tls-server-name',
    ],
    ['certificate has expired', 'certificate has expired', 'renewed'],
    [
      'unable to verify the first certificate; if the root CA is installed locally, try running Node.js with --use-system-ca',
      'unable to verify the first certificate',
      '--ca-file',
    ],
  ])('says of %j what to do', (said, what, wayOut) => {
    expect(connectionProblem(said, { tls: {} })).toEqual({ what, wayOut: expect.stringContaining(wayOut) });
  });

  it('takes a connection that is closed at once for the other kind of port', () => {
    const said = 'Failed to connect (2026-11-15T15:25:27.949Z)';
    expect(connectionProblem(said, {})).toEqual({
      what: 'it closes connections in plain text',
      wayOut: expect.stringContaining('--ca-file'),
    });
    expect(connectionProblem(said, { tls: {} })).toEqual({
      what: 'it closes the connection',
      wayOut: expect.stringContaining('--cert-file'),
    });
  });

  it('knows no way out where nobody answers', () => {
    expect(connectionProblem('connect ECONNREFUSED 127.0.0.1:1', {})).toEqual({
      what: 'connect ECONNREFUSED 127.0.0.1:1',
      wayOut: undefined,
    });
  });
});
