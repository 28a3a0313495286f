import {
  type Context,
  isSpanContextValid,
  type SpanContext,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
  trace,
} from '@opentelemetry/api';

import { PassedTraceState } from './trace-state.ts';

const parentHeader = 'traceparent';
const stateHeader = 'tracestate';

/** version - trace id - parent id - flags; later versions may add fields after them */
const parentForm = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads and writes the headers of the W3C Trace Context recommendation. What is malformed counts as absent. */
export class W3cPropagator implements TextMapPropagator {
  inject(context: Context, carrier: unknown, setter: TextMapSetter): void {
    const span = trace.getSpanContext(context);
    if (span === undefined || !isSpanContextValid(span)) return;
    const flags = (span.traceFlags & 0xff).toString(16).padStart(2, '0');
    setter.set(carrier, parentHeader, `00-${span.traceId}-${span.spanId}-${flags}`);
    const state = span.traceState?.serialize() ?? '';
    if (state !== '') setter.set(carrier, stateHeader, state);
  }

  extract(context: Context, carrier: unknown, getter: TextMapGetter): Context {
    const parent = getter.get(carrier, parentHeader);
    // More than one traceparent is as good as none: nobody can tell which is meant.
    const text = Array.isArray(parent) ? (parent.length === 1 ? parent[0] : undefined) : parent;
    const span = text === undefined ? undefined : parseParent(text);
    if (span === undefined) return context;
    const state = getter.get(carrier, stateHeader);
    const stateText = Array.isArray(state) ? state.join(',') : (state ?? '');
    return trace.setSpanContext(context, stateText === '' ? span : { ...span, traceState: PassedTraceState.parse(stateText) });
  }

  fields(): string[] {
    return [parentHeader, stateHeader];
  }
}

function parseParent(text: string): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] = parentForm.exec(text.trim()) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  const span: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(span) ? span : undefined;
}
