import type { JsonValue } from '@bufbuild/protobuf';
import { present, type StatusError } from '@quartermaster/kernel';
import { jsonOf } from '../error-details.ts';

/** How a stream of messages is written: a line of JSON each, or server-sent events. */
export interface StreamForm {
  readonly contentType: string;
  message(json: JsonValue): string;
  failure(error: StatusError): string;
  /** What is sent while there is nothing to say, so that nobody in between takes the stream for dead; undefined where the form has nothing. */
  readonly keepAlive: string | undefined;
}

const lines: StreamForm = {
  contentType: 'application/x-ndjson',
  message: (json) => `${JSON.stringify(json)}\n`,
  failure: (error) => `${JSON.stringify({ error: errorJson(error) })}\n`,
  keepAlive: undefined,
};

const events: StreamForm = {
  contentType: 'text/event-stream; charset=utf-8',
  message: (json) => `data: ${JSON.stringify(json)}\n\n`,
  failure: (error) => `event: error\ndata: ${JSON.stringify(errorJson(error))}\n\n`,
  keepAlive: ': keep-alive\n\n',
};

/** Server-sent events for those who ask for them, lines for everybody else. */
export function streamForm(accept: string | undefined): StreamForm {
  return accept?.includes('text/event-stream') === true ? events : lines;
}

export function errorJson(error: StatusError): JsonValue {
  return present({ code: error.code, message: error.message, details: jsonOf(error.details) });
}

/** With `?pretty`, as people read it. */
export function writeJson(json: JsonValue, query: URLSearchParams): string {
  const isPretty = query.has('pretty') && query.get('pretty') !== 'false';
  return `${JSON.stringify(json, undefined, isPretty ? 2 : undefined)}\n`;
}
