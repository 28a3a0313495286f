import { clone, create, type DescMessage, equals } from '@bufbuild/protobuf';
import { type Cluster, ClusterSchema, HostSchema } from '@quartermaster/api/private';
import { arbitraryMessage } from '@quartermaster/fulfillment/testing';
import { StatusError } from '@quartermaster/kernel';
import { applyMask, parseMask } from '@quartermaster/objects';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const cluster = (nodeSets: Record<string, { hostClass?: string; size?: number }>, name = ''): Cluster =>
  create(ClusterSchema, { id: 'c', metadata: { name }, spec: { nodeSets } });

function masked(stored: Cluster, input: Cluster, ...paths: string[]): Cluster {
  return applyMask(ClusterSchema, stored, input, parseMask(ClusterSchema, paths));
}

describe('applyMask', () => {
  it('sets one field of a map entry and keeps the fields beside it', () => {
    const result = masked(
      cluster({ w: { hostClass: 'h', size: 2 }, x: { size: 1 } }),
      cluster({ w: { size: 5 } }),
      'spec.node_sets.w.size',
    );
    expect(result.spec?.nodeSets['w']).toMatchObject({ hostClass: 'h', size: 5 });
    expect(result.spec?.nodeSets['x']).toMatchObject({ size: 1 });
  });

  it('takes a map entry out that the input lacks, and no other', () => {
    const result = masked(cluster({ w: { size: 2 }, x: { size: 1 } }), cluster({}), 'spec.node_sets.w');
    expect(Object.keys(result.spec?.nodeSets ?? {})).toEqual(['x']);
  });

  it('makes a map entry that the stored object lacks', () => {
    const result = masked(cluster({}), cluster({ w: { hostClass: 'h', size: 2 } }), 'spec.node_sets.w.size');
    expect(result.spec?.nodeSets['w']).toMatchObject({ hostClass: '', size: 2 });
  });

  it('clears a field of a stored entry when the input has no such entry', () => {
    const result = masked(cluster({ w: { hostClass: 'h', size: 2 } }), cluster({}), 'spec.node_sets.w.size');
    expect(result.spec?.nodeSets['w']).toMatchObject({ hostClass: 'h', size: 0 });
  });

  it('clears what the input does not have', () => {
    expect(masked(cluster({}, 'a'), create(ClusterSchema), 'metadata.name').metadata?.name).toBe('');
  });

  it('writes keys with dots', () => {
    const stored = create(ClusterSchema, { metadata: { labels: { 'a.b/c': '1', d: '2' } } });
    const input = create(ClusterSchema, { metadata: { labels: { 'a.b/c': '3' } } });
    expect(masked(stored, input, 'metadata.labels.`a.b/c`').metadata?.labels).toEqual({ 'a.b/c': '3', d: '2' });
    expect(masked(stored, create(ClusterSchema), 'metadata.labels["a.b/c"]').metadata?.labels).toEqual({ d: '2' });
  });

  it('sets one field of a list element, and appends next after the last', () => {
    const stored = create(ClusterSchema, { status: { conditions: [{ type: 1, reason: 'Old' }] } });
    const input = create(ClusterSchema, { status: { conditions: [{ reason: 'New' }, { type: 2 }] } });
    const result = masked(stored, input, 'status.conditions.1', 'status.conditions[0].reason');
    expect(result.status?.conditions).toMatchObject([{ type: 1, reason: 'New' }, { type: 2 }]);
  });

  it.each([
    ['status.conditions.1', 'one', 'none', 'none with index 1'],
    ['status.conditions.2', 'none', 'three', '0 is the highest index'],
    ['status.conditions.0.reason', 'one', 'none', 'none with index 0'],
  ])('refuses %s with %s stored and %s given', (path, stored, given, message) => {
    const count = (word: string): Cluster => {
      const conditions = Array.from({ length: ['none', 'one', 'two', 'three'].indexOf(word) }, () => ({ type: 1 as const }));
      return create(ClusterSchema, { status: { conditions } });
    };
    expect(() => masked(count(stored), count(given), path)).toThrow(message);
    expect(() => masked(count(stored), count(given), path)).toThrow(StatusError);
  });

  it('changes neither the stored object nor the input, and shares nothing with them', () => {
    const [stored, input] = [cluster({ x: {} }), cluster({ w: { size: 5 } })];
    const copies = [clone(ClusterSchema, stored), clone(ClusterSchema, input)];
    const result = masked(stored, input, 'spec.node_sets.w');
    const made = result.spec?.nodeSets['w'];
    if (made !== undefined) made.size = 9;
    expect([stored, input]).toEqual(copies);
  });
});

describe.each([
  ['cluster', ClusterSchema as DescMessage],
  ['host', HostSchema as DescMessage],
])('masks of a %s', (_name, schema) => {
  const messages = arbitraryMessage(schema);
  const paths = fc.subarray(pathsOf(schema), { minLength: 1 });
  const apply = (stored: ReturnType<typeof create>, input: ReturnType<typeof create>, mask: readonly string[]) =>
    applyMask(schema, stored, input, parseMask(schema, mask));
  const everything = schema.fields.map(({ name }) => name);

  it('replaces the object when the mask names everything', () => {
    fc.assert(fc.property(messages, messages, (stored, input) => equals(schema, apply(stored, input, everything), input)));
  });

  it('gives the same when it is applied again', () => {
    fc.assert(
      fc.property(messages, messages, paths, (stored, input, mask) => {
        const once = apply(stored, input, mask);
        return equals(schema, apply(once, input, mask), once);
      }),
    );
  });

  it('does not depend on the order of the paths', () => {
    fc.assert(
      fc.property(messages, messages, paths, (stored, input, mask) =>
        equals(schema, apply(stored, input, mask), apply(stored, input, mask.toReversed())),
      ),
    );
  });

  it('lets two updates of different fields both survive, in either order', () => {
    fc.assert(
      fc.property(messages, messages, messages, fc.shuffledSubarray(leavesOf(schema), { minLength: 2 }), (stored, one, two, leaves) => {
        const half = Math.ceil(leaves.length / 2);
        const [first, second] = [leaves.slice(0, half), leaves.slice(half)];
        const left = apply(apply(stored, one, first), two, second);
        const right = apply(apply(stored, two, second), one, first);
        return equals(schema, left, right);
      }),
    );
  });

  it('leaves every place alone that it does not name', () => {
    fc.assert(
      fc.property(messages, messages, fc.shuffledSubarray(leavesOf(schema), { minLength: 1 }), (stored, input, leaves) => {
        const result = apply(stored, input, leaves);
        const others = leavesOf(schema).filter((leaf) => !leaves.includes(leaf));
        return equals(schema, apply(result, stored, others), result);
      }),
    );
  });
});

/** Paths to every field, some of them through keys of maps, not into lists. */
function pathsOf(message: DescMessage, prefix = ''): string[] {
  return message.fields.flatMap((field) => {
    const path = prefix + field.name;
    if (field.fieldKind === 'map') return [path, `${path}.a`, ...(isOwn(field.message) ? pathsOf(field.message, `${path}.b.`) : [])];
    if (field.fieldKind === 'message' && isOwn(field.message)) return [path, ...pathsOf(field.message, `${path}.`)];
    return [path];
  });
}

/** Paths of which none lies within another, or takes the place of another: of a oneof, setting one member clears the others. */
function leavesOf(message: DescMessage): string[] {
  const all = pathsOf(message).filter((path) => !path.includes('password_ref.'));
  return all.filter((path) => !all.some((other) => other.startsWith(`${path}.`)));
}

function isOwn(message: DescMessage | undefined): message is DescMessage {
  return message !== undefined && !message.typeName.startsWith('google.protobuf.');
}
