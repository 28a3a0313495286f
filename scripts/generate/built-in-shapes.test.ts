import { describe, expect, it } from 'vitest';
import { type BuiltInData, builtInModules } from './built-in-shapes.mjs';

const kind = (group: string, name: string, plural: string, type: string, verbs = ['list']): BuiltInData['kinds'][number] => ({
  ...{ group, version: 'v1', kind: name, plural, singular: '', namespaced: true, verbs, shortNames: [], categories: [], subresources: [] },
  type,
});

const data: BuiltInData = {
  server: 'v1.36.3',
  kinds: [
    kind('', 'Event', 'events', 'core.v1.Event'),
    kind('', 'Pod', 'pods', 'core.v1.Pod'),
    kind('policy', 'Eviction', '', 'policy.v1.Eviction', []),
    kind('resource.k8s.io', 'CSIClaimPolicy', 'csiclaimpolicies', 'resource.v1.CSIClaimPolicy'),
  ],
  types: {
    'apis.meta.v1.ObjectMeta': { type: 'object', properties: { created: { ref: 'apis.meta.v1.Time' } } },
    'apis.meta.v1.Time': { type: 'string', rules: { format: 'date-time' } },
    'core.v1.CSIClaimPolicy': { type: 'object', properties: { port: { type: 'int-or-string' } } },
    'core.v1.Event': { type: 'object', properties: {} },
    'core.v1.Pod': {
      type: 'object',
      required: ['phase'],
      properties: {
        metadata: { ref: 'apis.meta.v1.ObjectMeta' },
        phase: { type: 'string', rules: { enum: ['Running'] } },
        policies: { type: 'array', items: { ref: 'core.v1.CSIClaimPolicy' } },
        limits: { type: 'object', additional: { type: 'quantity' } },
        raw: { type: 'any' },
      },
    },
    'policy.v1.Eviction': { type: 'object', properties: {} },
    'resource.v1.CSIClaimPolicy': { type: 'object', properties: {} },
  },
};

describe('the modules of the built-in kinds', () => {
  const { meta, shapes, kinds } = builtInModules(data);

  it('have what every object has apart, for the kernel', () => {
    expect(meta).toContain('export interface ObjectMeta {\n  readonly created?: string | undefined;\n}');
    expect(shapes).not.toContain('interface ObjectMeta');
  });

  it('have the shapes of what can be listed and of what is in it, in words that any version of the server keeps', () => {
    expect(shapes.slice(shapes.indexOf('export'))).toBe(`export interface CSIClaimPolicy {
}

export interface CoreCSIClaimPolicy {
  readonly port?: number | string | undefined;
}

export interface Pod {
  readonly metadata?: ObjectMeta | undefined;
  readonly phase: string;
  readonly policies?: readonly CoreCSIClaimPolicy[] | undefined;
  readonly limits?: Readonly<Record<string, string>> | undefined;
  readonly raw?: unknown;
}
`);
  });

  it('have each of these kinds as a value under its plural', () => {
    expect(kinds).toContain(
      "  csiClaimPolicies: resourceType<CSIClaimPolicy>({ group: 'resource.k8s.io', version: 'v1', kind: 'CSIClaimPolicy', plural: 'csiclaimpolicies', namespaced: true }),\n  pods: ",
    );
    expect(kinds).not.toMatch(/events|evictions/);
  });
});
