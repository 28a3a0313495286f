import { describe, expect, it } from 'vitest';
import type { ApplyOptions, KubeReader, KubeWriter } from '../client/api.ts';
import { kinds } from '../generated/kinds.ts';
import type { KubeObject } from '../objects/objects.ts';
import { FencedWriter } from './fenced-writer.ts';

const held = { signal: new AbortController().signal, term: 1, remainingMs: () => 10_000, assertHeld: () => {} };
const metadata = { namespace: 'default', name: 'a' };
const options = { fieldManager: 'leader', force: true };
const stored = { uid: 'uid-of-a', resourceVersion: '7' };

/** As much of a client as an apply touches; what it does with `decidedOn` is its own matter, and proven against real servers. */
function setUp(state: 'present' | 'gone' = 'present') {
  const calls: { readonly read?: string; readonly applied?: KubeObject; readonly decidedOn?: ApplyOptions['decidedOn'] }[] = [];
  const client = {
    find: async (_type: unknown, { name }: { readonly name: string }) => {
      calls.push({ read: name });
      return await Promise.resolve(state === 'gone' ? undefined : { metadata: { ...metadata, ...stored } });
    },
    apply: async (_type: unknown, applied: KubeObject, { decidedOn }: ApplyOptions) => {
      calls.push({ applied, decidedOn });
      return await Promise.resolve(applied);
    },
  };
  return { calls, writer: new FencedWriter(client as unknown as KubeReader & KubeWriter, held) };
}

describe('the apply of a leader', () => {
  it('reads what is there and is based upon it, when the caller does not say what it decided upon', async () => {
    const { calls, writer } = setUp();
    await writer.apply(kinds.configMaps, { metadata }, options);
    expect(calls).toEqual([{ read: 'a' }, { applied: { metadata: { ...metadata, ...stored } }, decidedOn: undefined }]);
  });

  it.each([[{ ...stored, key: 'default/a', value: {} }], ['absent' as const]])(
    'reads nothing when it was decided on %j',
    async (decidedOn) => {
      const { calls, writer } = setUp();
      await writer.apply(kinds.configMaps, { metadata }, { ...options, decidedOn });
      expect(calls).toEqual([{ applied: { metadata }, decidedOn }]);
    },
  );

  it.each(['uid', 'resourceVersion'])('refuses a decision upon an object without its %s', async (field) => {
    const { calls, writer } = setUp();
    const applying = writer.apply(kinds.configMaps, { metadata }, { ...options, decidedOn: { ...stored, [field]: '' } });
    await expect(applying).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('needs decidedOn.uid and decidedOn.resourceVersion'),
    });
    expect(calls).toEqual([]);
  });

  it('is a stale copy when the version was given and the object is gone', async () => {
    const { calls, writer } = setUp('gone');
    const applying = writer.apply(kinds.configMaps, { metadata: { ...metadata, resourceVersion: '7' } }, options);
    await expect(applying).rejects.toMatchObject({ code: 'aborted' });
    expect(calls).toEqual([{ read: 'a' }]);
  });
});
