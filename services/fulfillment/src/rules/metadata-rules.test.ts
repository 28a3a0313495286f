import { create } from '@bufbuild/protobuf';
import { HostClassSchema } from '@quartermaster/api/private';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryMessage } from '../../test/arbitrary-message.ts';
import { hostClassRules } from './host-class-rules.ts';

interface Given {
  readonly id?: string;
  readonly name?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly finalizers?: string[];
  readonly title?: string;
}

function fieldsOf({ id = '', title = '', ...metadata }: Given): string[] {
  return hostClassRules.validate(create(HostClassSchema, { id, title, metadata })).map(({ field }) => field);
}

describe('metadata', () => {
  it.each(['', 'a', '0', 'a-b', 'a'.repeat(63)])('accepts the name "%s"', (name) => {
    expect(fieldsOf({ name })).toEqual([]);
  });

  it.each(['A', '-a', 'a-', 'a.b', 'a_b', 'a b', 'é', 'a'.repeat(64), 'a\n', '\0'])('refuses the name "%s"', (name) => {
    expect(fieldsOf({ name })).toContain('metadata.name');
  });

  it('says what a name may look like', () => {
    const [violation] = hostClassRules.validate(create(HostClassSchema, { metadata: { name: 'My Class' } }));
    expect(violation?.description).toContain('63 characters');
    expect(violation?.description).toContain('lower-case letters, digits and "-"');
  });

  it.each(['a', 'a.b', 'a_b-c', 'example.com/a', `${'a'.repeat(60)}.com/${'b'.repeat(63)}`])('accepts the key %s', (key) => {
    expect(fieldsOf({ labels: { [key]: '' }, annotations: { [key]: 'Any text: is fine' } })).toEqual([]);
  });

  it.each(['', 'A', '/a', 'a/', 'a/b/c', 'a b', '-a', 'a-', 'EXAMPLE.com/a', 'ex..com/a', `${'a'.repeat(254)}/b`, 'b'.repeat(64)])(
    'refuses the key "%s"',
    (key) => {
      expect(fieldsOf({ labels: { [key]: '' } })).toHaveLength(1);
      expect(fieldsOf({ annotations: { [key]: '' } })).toHaveLength(1);
    },
  );

  it('names the key in a path that a mask could name', () => {
    expect(fieldsOf({ labels: { 'example.com/rack': 'Not This' } })).toEqual(['metadata.labels.`example.com/rack`']);
  });

  it.each(['x', '1.2-3_4', 'a'.repeat(63)])('accepts the label value %s', (value) => {
    expect(fieldsOf({ labels: { a: value } })).toEqual([]);
  });

  it.each(['X', 'a b', '-a', 'a-', 'a'.repeat(64)])('refuses the label value "%s"', (value) => {
    expect(fieldsOf({ labels: { a: value } })).toEqual(['metadata.labels.a']);
  });

  it('refuses annotations that are too large together', () => {
    expect(fieldsOf({ annotations: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`a${i}`, 'x'.repeat(30_000)])) })).toEqual([
      'metadata.annotations',
    ]);
  });

  it.each(['4c4c4544-0042-3010-8044-b3c04f4e5a32', 'my_host_class_1', 'Ünïcode', 'a:b@c'])('accepts the id %s', (id) => {
    expect(fieldsOf({ id })).toEqual([]);
  });

  it.each(['a/b', 'a b', '..', 'a\u0000', 'a\u202e', 'a?b', 'a'.repeat(254)])('refuses the id "%s"', (id) => {
    expect(fieldsOf({ id })).toContain('id');
  });

  it('refuses empty and repeated-blank finalizers, and sorts those that fit', () => {
    expect(fieldsOf({ finalizers: ['', 'a b'] })).toEqual(['metadata.finalizers.0', 'metadata.finalizers.1']);
    const normal = hostClassRules.normalise(
      create(HostClassSchema, { metadata: { finalizers: ['b', 'a', 'b'], tenants: ['z', 'y', 'z'] } }),
    );
    expect(normal.metadata).toMatchObject({ finalizers: ['a', 'b'], tenants: ['y', 'z'] });
  });

  it('refuses texts that cannot be stored, wherever they stand', () => {
    expect(fieldsOf({ title: 'a\0b' })).toEqual(['title']);
    expect(fieldsOf({ annotations: { a: '\0' } })).toEqual(['metadata.annotations.a']);
    expect(fieldsOf({ annotations: { a: 'x'.repeat(65_537) } })).toEqual(['metadata.annotations.a']);
  });

  it('normalises to something that normalising does not change', () => {
    fc.assert(
      fc.property(arbitraryMessage(HostClassSchema), (object) => {
        const once = hostClassRules.normalise(object);
        expect(hostClassRules.normalise(once)).toEqual(once);
      }),
    );
  });
});
