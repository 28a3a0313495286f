/**
 * What a page and the console's server agree on about the streams of a lease. Binary frames, and text frames to the page, are those of the provider's
 * gateway. Beside them there are text frames from the page, each the decimal number of bytes that it took off the stream: the gateway is read no further
 * than so far ahead of them; and empty text frames to the page, which say that the connection lives.
 */
export const streamKinds = ['logs', 'kubeevents', 'shell'] as const;

export type StreamKind = (typeof streamKinds)[number];

export const streamPath = (lease: string, kind: StreamKind): string => `/api/gateway/leases/${lease}/${kind}`;

/** A browser gives a WebSocket no headers of ours: the page names this protocol, and a second one which carries the key of its session. */
export const streamProtocol = 'quartermaster.stream.v1';
export const keyProtocol = 'quartermaster.key.';

export const closeCodes = {
  /** Over in order. */
  done: 1000,
  internal: 4000,
  notFound: 4001,
  unavailable: 4002,
  /** The right to it ended: the token, its key, the session or the lease. */
  ended: 4003,
  /** Too slow, idle, too long or too many. */
  limit: 4008,
} as const;

/** What the first byte of a binary frame of a shell says that the rest is. */
export const shellFrames = { stdout: 100, stderr: 101, result: 102, failure: 103, stdin: 104, resize: 105 } as const;

/** Of one message of a page. */
export const mostMessageBytes = 64 * 1024;
