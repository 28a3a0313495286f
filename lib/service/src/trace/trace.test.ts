import { setImmediate as turn } from 'node:timers/promises';
import { context, propagation } from '@opentelemetry/api';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../logger.ts';
import { activeTrace, installTraceContext, outgoingTraceHeaders, traceOf, withIncomingTrace } from './trace.ts';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('trace context', () => {
  let uninstall: () => void = () => {};
  beforeEach(() => {
    uninstall = installTraceContext();
  });
  afterEach(() => uninstall());

  it('passes what came in on, across awaits and timers', async () => {
    const outgoing = await withIncomingTrace({ traceparent: parent, tracestate: 'vendor=a,other=b' }, async () => {
      await turn();
      return outgoingTraceHeaders();
    });
    expect(outgoing).toEqual({ traceparent: parent, tracestate: 'vendor=a,other=b' });
  });

  it('keeps requests that run at the same time apart', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => (i + 1).toString(16).padStart(32, '0'));
    const seen = await Promise.all(
      ids.map((id, i) =>
        withIncomingTrace({ traceparent: `00-${id}-b7ad6b7169203331-00` }, async () => {
          for (let turns = 0; turns < i % 3; turns += 1) await turn();
          return activeTrace()?.traceId;
        }),
      ),
    );
    expect(seen).toEqual(ids);
  });

  it('passes every valid header on unchanged', () => {
    const hex = (length: number) =>
      fc
        .array(fc.integer({ min: 0, max: 15 }), { minLength: length, maxLength: length })
        .map((digits) => digits.map((digit) => digit.toString(16)).join(''))
        .filter((text) => /[1-9a-f]/.test(text));
    fc.assert(
      fc.property(hex(32), hex(16), fc.integer({ min: 0, max: 255 }), (traceId, spanId, flags) => {
        const traceparent = `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;
        expect(withIncomingTrace({ traceparent }, outgoingTraceHeaders)).toEqual({ traceparent });
      }),
    );
  });

  it.each([
    ['absent', {}],
    ['not of the form', { traceparent: 'hello' }],
    ['of zeros', { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }],
    ['of the forbidden version', { traceparent: `ff${parent.slice(2)}` }],
    ['longer than version 00 allows', { traceparent: `${parent}-more` }],
    ['there twice', { traceparent: [parent, parent] }],
  ])('takes a traceparent that is %s for none', (_name, headers) => {
    expect(withIncomingTrace(headers, activeTrace)).toBeUndefined();
    expect(withIncomingTrace(headers, outgoingTraceHeaders)).toEqual({});
  });

  it('reads what a later version begins with', () => {
    expect(withIncomingTrace({ traceparent: `01${parent.slice(2)}-more` }, activeTrace)).toEqual({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      sampled: true,
    });
  });

  it('names the trace in log lines, and only there', () => {
    const lines: string[] = [];
    const log = createLogger({ destination: { write: (line) => lines.push(line) } });
    withIncomingTrace({ traceparent: parent }, () => log.info('inside'));
    log.info('outside');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ trace_id: '0af7651916cd43dd8448eb211c80319c', span_id: 'b7ad6b7169203331' });
    expect(JSON.parse(lines[1] ?? '')).not.toHaveProperty('trace_id');
  });

  it('is found among headers that are asked for one by one', () => {
    expect(traceOf(() => undefined)).toBeUndefined();
    const headers: Readonly<Record<string, string>> = { traceparent: parent, tracestate: 'vendor=a' };
    expect(traceOf((name) => headers[name])?.(outgoingTraceHeaders)).toEqual(headers);
    // A caller that sends it twice is in no trace, as there is no telling which is meant.
    expect(traceOf((name) => (name === 'traceparent' ? `${parent}, ${parent}` : undefined))?.(activeTrace)).toBeUndefined();
  });

  it('binds functions to the context they were given', () => {
    const bound = withIncomingTrace({ traceparent: parent }, () => context.bind(context.active(), () => activeTrace()?.spanId));
    expect(bound()).toBe('b7ad6b7169203331');
  });

  it('leaves a registered SDK in charge', () => {
    const second = installTraceContext();
    second();
    expect(withIncomingTrace({ traceparent: parent }, outgoingTraceHeaders)).toEqual({ traceparent: parent });
    expect(propagation.fields()).toContain('traceparent');
  });
});
