import { describe, expect, it } from 'vitest';
import { customResourcesText } from './custom-resource.mjs';
import { interfaceText, type Schema } from './shape-text.mjs';

/** The type that is written for a required field with the schema. */
const typeOf = (schema: Schema): string | undefined =>
  /readonly field: (.*);/.exec(interfaceText('Owner', { properties: { field: schema }, required: ['field'] }))?.[1];

describe('the type of a field', () => {
  it.each<[schema: Schema, type: string]>([
    [{ type: 'string', format: 'date-time' } as Schema, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean', nullable: true }, 'boolean | null'],
    [{ type: 'string', enum: ['a', 'b'] }, "'a' | 'b'"],
    [{ 'x-kubernetes-int-or-string': true }, 'number | string'],
    [{ $ref: 'Other' }, 'Other'],
    [{ type: 'array', items: { type: 'string' } }, 'readonly string[]'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, "readonly ('a' | 'b')[]"],
    [{ type: 'array', items: { type: 'array', items: { type: 'number' } } }, 'readonly (readonly number[])[]'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'Readonly<Record<string, string>>'],
    [{ type: 'object' }, 'Readonly<Record<string, unknown>>'],
    [{ type: 'object', properties: { a: {} } }, 'OwnerField'],
    [{ type: 'array', items: { type: 'object', properties: { a: {} } } }, 'readonly OwnerFieldItem[]'],
    [{ type: 'object', title: 'Part', properties: { a: {} } }, 'Part'],
    [{}, 'unknown'],
  ])('for %j is %s', (schema, type) => {
    expect(typeOf(schema)).toBe(type);
  });
});

describe('an interface', () => {
  it('has what is said of it as comments, and its parts after it', () => {
    const size = { type: 'integer', description: 'In bytes.\n\nNever */ zero.' };
    const part = { type: 'object', description: 'A part.', properties: { size }, required: ['size'] };
    const text = interfaceText('Whole', { description: 'A whole.', properties: { 'x-part': part } });
    expect(text).toBe(`/** A whole. */
export interface Whole {
  readonly 'x-part'?: WholeXPart | undefined;
}

/** A part. */
export interface WholeXPart {
  /**
   * In bytes.
   *
   * Never *\\/ zero.
   */
  readonly size: number;
}
`);
  });

  it('is written once for two objects with one title, which must be equal', () => {
    const part = (type: string): Schema => ({ title: 'Part', properties: { field: { type } } });
    const both = (second: Schema): string => interfaceText('Whole', { properties: { first: part('string'), second } });
    expect(both(part('string')).match(/interface Part /g)).toHaveLength(1);
    expect(() => both(part('integer'))).toThrow('Whole: two different objects in it are called Part; give one of them another title');
  });
});

describe('the module of a custom resource', () => {
  const version = (name: string, storage: boolean) => ({
    name,
    storage,
    schema: { openAPIV3Schema: { properties: { metadata: { type: 'object' }, [name]: { type: 'string' } } } },
  });
  const definition = (isStored: boolean) => ({
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'IPPool', plural: 'ippools' },
      versions: [version('v1beta1', false), version('v1', isStored)],
    },
  });

  it('has the shape of the stored version and the kind', () => {
    expect(
      customResourcesText([definition(true)], 'crds/pool.yaml'),
    ).toBe(`// Made from crds/pool.yaml by \`npm run generate\`. Do not edit.
import type { ObjectMeta, ResourceType } from '@quartermaster/kernel';

export interface IPPool {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
  readonly v1?: string | undefined;
}

export const ipPoolType: ResourceType<IPPool> = {
  group: 'example.com',
  version: 'v1',
  kind: 'IPPool',
  plural: 'ippools',
  namespaced: true,
};
`);
  });

  it('is refused where no version is stored', () => {
    expect(() => customResourcesText([definition(false)], 'crds/pool.yaml')).toThrow('ippools.example.com: no version has storage: true');
  });
});
