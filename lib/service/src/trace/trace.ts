/**
 * Trace context as W3C defines it, through OpenTelemetry's API. An SDK that was registered before stays in charge; without one, what
 * came in with a request is kept for everything done on its behalf, shown in its log lines and sent on unchanged.
 */
import { context, propagation, ROOT_CONTEXT, type TextMapGetter, type TextMapSetter, trace } from '@opentelemetry/api';
import { LocalContextManager } from './local-context-manager.ts';
import { W3cPropagator } from './w3c-propagator.ts';

/** Headers as node:http, undici and fetch have them. Names in lower case. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

/**
 * Registers the context manager and the propagator of this package where no other is registered. Returns what takes them back. To be
 * called once, when the process starts.
 */
export function installTraceContext(): () => void {
  const manager = new LocalContextManager();
  const ownsContext = context.setGlobalContextManager(manager);
  const ownsPropagation = propagation.setGlobalPropagator(new W3cPropagator());
  return () => {
    if (ownsContext) context.disable();
    if (ownsPropagation) propagation.disable();
  };
}

/** Runs `work` as part of the trace that the headers name; without a valid one, outside of any trace. */
export function withIncomingTrace<T>(headers: IncomingHeaders, work: () => T): T {
  return context.with(propagation.extract(ROOT_CONTEXT, headers, headerGetter), work);
}

/** What runs work as part of the trace of a call, whose headers are asked for one by one; undefined when it carries none. */
export function traceOf(header: (name: string) => string | undefined): (<T>(work: () => T) => T) | undefined {
  const carried = propagation.fields().flatMap((name) => {
    const value = header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (carried.length === 0) return undefined;
  const headers = Object.fromEntries(carried);
  return (work) => withIncomingTrace(headers, work);
}

/** The headers that carry the current trace to another service; none outside of a trace. */
export function outgoingTraceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers, headerSetter);
  return headers;
}

/** The ids of the trace that the caller works for. */
export function activeTrace(): TraceIds | undefined {
  const span = trace.getSpanContext(context.active());
  if (span === undefined || !trace.isSpanContextValid(span)) return undefined;
  return { traceId: span.traceId, spanId: span.spanId, sampled: (span.traceFlags & 1) === 1 };
}

const headerGetter: TextMapGetter<IncomingHeaders> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => {
    const value = headers[name.toLowerCase()];
    return value === undefined || typeof value === 'string' ? value : [...value];
  },
};

const headerSetter: TextMapSetter<Record<string, string>> = {
  set: (headers, name, value) => Object.assign(headers, { [name]: value }),
};
