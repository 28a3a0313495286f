import { describe, expect, it } from 'vitest';
import { apiVersionOf, resourceType } from './resource-type.ts';

describe('a declared kind', () => {
  const widgets = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };

  it('is what was declared', () => {
    expect(resourceType(widgets)).toEqual(widgets);
  });

  it('has the bare version as its apiVersion in the core group, and group/version in others', () => {
    expect(apiVersionOf({ ...widgets, group: '' })).toBe('v1');
    expect(apiVersionOf(widgets)).toBe('example.com/v1');
  });
});
