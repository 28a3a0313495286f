import { create, createRegistry, toJson } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { GetViewResponseSchema, WatchViewsResponseSchema } from '@quartermaster/api/inventory';
import { answerJson } from '@quartermaster/rpc';
import { describe, expect, it } from 'vitest';

const options = { registry: createRegistry(), useProtoNames: false };
const state = { head: { total: 2, gone: null }, rows: [{ name: 'a', use: [1, 2.5], isReady: true }, []] };

describe('answerJson', () => {
  it('writes a Struct as it is, with the rest of the answer as it always was', () => {
    const view = create(GetViewResponseSchema, { sentAt: timestampFromMs(0), state });
    expect(answerJson(GetViewResponseSchema, view, options)).toEqual(toJson(GetViewResponseSchema, view));
    expect(answerJson(GetViewResponseSchema, view, { ...options, useProtoNames: true })).toEqual({
      sent_at: '1970-01-01T00:00:00Z',
      state,
    });
    expect(view.state).toEqual(state);
  });

  it('writes one of several, and leaves out one that is not there', () => {
    const patch = create(WatchViewsResponseSchema, { view: 'nodes', change: { case: 'patch', value: state } });
    expect(answerJson(WatchViewsResponseSchema, patch, options)).toEqual({ view: 'nodes', patch: state });
    const unknown = create(WatchViewsResponseSchema, { view: 'nodes', change: { case: 'unknown', value: true } });
    expect(answerJson(WatchViewsResponseSchema, unknown, options)).toEqual({ view: 'nodes', unknown: true });
    expect(answerJson(GetViewResponseSchema, create(GetViewResponseSchema), options)).toEqual({});
  });
});
