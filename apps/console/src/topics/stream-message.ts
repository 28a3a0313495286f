import type { StreamMessage } from '@quartermaster/api/inventory-views';

/** The names of the server-sent events. */
export const streamKinds = ['state', 'patch', 'alive'] as const satisfies readonly StreamMessage['kind'][];

const apiPath = '/api/console/v1';

/** Answers the state of a topic once: `/api/console/v1/topics/pods?phase=Failed`. */
export const topicsPath = `${apiPath}/topics`;
export const searchPath = `${apiPath}/search`;
/** Follows topics: one parameter `topic` for each, holding its address. */
export const streamPath = `${apiPath}/stream`;

/** One server-sent event. */
export function encodeMessage(message: StreamMessage): string {
  return `event: ${message.kind}\ndata: ${JSON.stringify(message)}\n\n`;
}
