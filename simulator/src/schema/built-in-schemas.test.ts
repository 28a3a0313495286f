import { describe, expect, it } from 'vitest';
import { builtInKinds, schemaOf } from './built-in-schemas.ts';

describe('the built-in kinds', () => {
  it('have a schema each, with an identity and metadata where they are stored', () => {
    const stored = builtInKinds().filter(({ verbs }) => verbs.includes('get'));
    const withoutSchema = builtInKinds().filter(({ group, version, kind }) => schemaOf(group, version, kind)?.type !== 'object');
    const withoutLabels = stored.filter(({ group, version, kind }) => {
      return schemaOf(group, version, kind)?.properties?.['metadata']?.properties?.['labels']?.additional?.type !== 'string';
    });
    expect({ withoutSchema, withoutLabels }).toEqual({ withoutSchema: [], withoutLabels: [] });
    expect(stored.length).toBeGreaterThan(30);
  });

  it('are described as discovery describes them', () => {
    expect(builtInKinds().find(({ kind }) => kind === 'Deployment')).toMatchObject({
      group: 'apps',
      version: 'v1',
      plural: 'deployments',
      singular: 'deployment',
      namespaced: true,
      shortNames: ['deploy'],
      categories: ['all'],
      subresources: [
        { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale' },
        { name: 'status', group: 'apps', version: 'v1', kind: 'Deployment' },
      ],
    });
  });

  it('know how lists are merged and which key has a default', () => {
    const containers = schemaOf('', 'v1', 'Pod')?.properties?.['spec']?.properties?.['containers'];
    expect(containers).toMatchObject({ listType: 'map', listMapKeys: ['name'], patchStrategy: ['merge'], patchMergeKey: 'name' });
    const ports = containers?.items?.properties?.['ports'];
    expect(ports).toMatchObject({ listMapKeys: ['containerPort', 'protocol'] });
    expect(ports?.items?.properties?.['protocol']?.default).toBe('TCP');
  });

  it('resolve types that contain themselves', () => {
    const schema = schemaOf('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition')?.properties?.['spec']?.properties?.['versions']
      ?.items;
    const props = schema?.properties?.['schema']?.properties?.['openAPIV3Schema'];
    expect(props?.properties?.['not']?.properties?.['not']?.properties?.['type']).toMatchObject({ type: 'string' });
  });

  it('are no others', () => {
    expect(schemaOf('apps', 'v1', 'Pod')).toBeUndefined();
    expect(schemaOf('', 'v2', 'Pod')).toBeUndefined();
  });
});
